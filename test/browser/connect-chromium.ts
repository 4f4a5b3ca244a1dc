import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

/** Connects to the Chromium that all files share. */
export async function connectChromium(): Promise<Browser> {
  const shared = inject('chromium');
  if ('problem' in shared) throw new Error(`The browser of the tests did not start. ${shared.problem}`);
  return chromium.connect(shared.endpoint);
}
