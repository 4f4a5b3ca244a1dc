import { expect, it } from 'vitest';
import { memoryStore, type OutboxStore, StoreError } from '../../src/entries/outbox.js';
import { betEvent, LOCATION } from '../support/factories.js';
import { outboxWorld } from './world.js';

/** The lines of an outbox without a listener, at `warn` and `error`, after the gateway has answered a bet. */
async function linesAfter(status: number, store?: OutboxStore) {
  const lines: string[] = [];
  const line = (level: string) => (text: string) => void lines.push(`${level} ${text}`);
  const { outbox, run } = outboxWorld({
    ...(store && { store }),
    client: {
      fetch: async () => Response.json({ message: 'Invalid user', statusCode: status }, { status }),
      logger: { warn: line('warn'), error: line('error') },
    },
  });
  await outbox.reportBetEvent(betEvent({ bet_id: 'B-1' }), { location: LOCATION });
  await run(outbox.drain({ timeoutMs: 5_000 }).catch(() => {}));
  return lines;
}

it('logs a report that needs a person, and the problem', async () => {
  expect(await linesAfter(422)).toEqual([
    'error A report needs a person. reportBetEvent B-1 (staging): HTTP 422: the gateway cannot accept the data. The gateway said: "Invalid user".',
  ]);
});

it('logs that it sends nothing for now, and why, with each probe that fails', async () => {
  const [first, second] = await linesAfter(503);
  expect(first).toMatch(/^warn The outbox sends nothing to staging for now \(unavailable\); .* HTTP 503/);
  expect(second).toMatch(/^warn The outbox sends nothing to staging for now \(unavailable\); .* HTTP 503/);
});

it('logs what the store says of its failure, and nothing of an error that is not its own', async () => {
  const failing = (cause: unknown) => ({ ...memoryStore(), outlook: () => Promise.reject(cause) });
  const own = new StoreError('unavailable', 'The database is gone.');
  expect((await linesAfter(200, failing(own)))[0]).toBe(
    'error The store failed; the outbox tries again. The database is gone.',
  );
  const foreign = new Error('duplicate key: 99012345678');
  expect((await linesAfter(200, failing(foreign)))[0]).toBe('error The store failed; the outbox tries again.');
});
