// The tests of each runtime, with the installed package.
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createRelay } from 'location-sdk/relay';
import { tryFourSteps } from './four-steps.js';
import { tryRelay } from './relay.js';

/** Throws an error with all problems. */
export async function tryInstalled() {
  const parts = { createClient, createMockGateway, createRelay };
  const wrong = [...(await tryFourSteps(parts)), ...(await tryRelay(parts))];
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}
