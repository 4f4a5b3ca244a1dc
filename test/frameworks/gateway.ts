import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Example } from './example.js';

/** A mock gateway of the installed package, on a socket. */
export async function startGateway({ folder }: Example) {
  const require = createRequire(join(folder, 'gateway.cjs'));
  const { createMockGateway }: typeof import('location-sdk/mock') = require('location-sdk/mock');
  const { serve }: typeof import('location-sdk/node') = require('location-sdk/node');
  return serve(createMockGateway());
}
