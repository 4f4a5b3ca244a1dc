import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { enqueueLines } from '../../../src/cli/outbox/import/enqueue-lines.js';
import type { ImportLine } from '../../../src/cli/outbox/import/lines.js';
import { createRejected } from '../../../src/cli/outbox/import/rejected.js';
import { createClient } from '../../../src/entries/index.js';
import { memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import { createOutboxEvents } from '../../../src/outbox/events.js';
import { createIntake } from '../../../src/outbox/intake/enqueue.js';
import { makeStandardSeal } from '../../../src/outbox/seal/standard-seal.js';
import { readOutboxSettings } from '../../../src/outbox/settings.js';
import { settledBet } from '../../support/factories.js';

const MB = 1024 * 1024;
const OPERATION = 'reportSettledBet';

/** Enqueues lines of this length; gives the length of each batch. */
async function batchesOf(lines: number, length: number): Promise<number[]> {
  async function* read(): AsyncGenerator<ImportLine> {
    for (let index = 0; index < lines; index += 1)
      yield {
        line: index + 2,
        length,
        operation: OPERATION,
        payload: { ...settledBet({ bet_id: `B-${index}` }) },
        problems: [],
      };
  }
  const batches: number[] = [];
  const inner = memoryStore();
  const enqueue: OutboxStore['enqueue'] = async (rows) => {
    batches.push(rows.length * length);
    return inner.enqueue(rows);
  };
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'a-key' } },
    environment: 'staging',
  });
  const settings = readOutboxSettings({ client, store: { ...inner, enqueue } }, makeStandardSeal);
  const [account] = settings.accounts;
  if (!account) throw new Error('The outbox has no account.');
  const progress = enqueueLines(
    {
      source: { size: lines * length, position: () => 0, expectUnchanged: async () => undefined },
      read,
      operation: OPERATION,
      rejected: createRejected(join(inject('runFolder'), 'none.csv')),
    },
    createIntake(settings, account, createOutboxEvents(), undefined),
    settings,
  );
  let enqueued = 0;
  for await (const reached of progress) enqueued = reached.enqueued;
  expect(enqueued).toBe(lines);
  return batches;
}

it.each([
  ['short', 1_200, 500],
  ['of 20 kB', 1_000, 20_000],
  ['of 1 MB', 20, MB],
])(
  'a batch holds 500 lines at most, and of long ones a little more than 4 MB: lines that are %s',
  async (_, lines, length) => {
    const batches = await batchesOf(lines, length);
    expect(batches.reduce((sum, one) => sum + one, 0)).toBe(lines * length);
    for (const batch of batches) {
      expect(batch).toBeLessThanOrEqual(500 * length);
      expect(batch).toBeLessThanOrEqual(4 * MB + length);
    }
    // Nor are they smaller than they must be.
    expect(batches.length).toBeLessThanOrEqual(Math.ceil((lines * length) / Math.min(500 * length, 4 * MB)) + 1);
  },
);
