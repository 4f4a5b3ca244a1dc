import { expect, test } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createRelay } from '../../../src/entries/relay.js';
import { tryFourSteps } from '../../runtimes/four-steps.js';
import { tryRelay } from '../../runtimes/relay.js';

test('the cases of every runtime hold in Node.js', async () => {
  expect(await tryFourSteps({ createClient, createMockGateway })).toEqual([]);
  expect(await tryRelay({ createClient, createMockGateway, createRelay })).toEqual([]);
});
