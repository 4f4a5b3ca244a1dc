import { expect, test, vi } from 'vitest';
import { createClient, type Fetch } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import type { Row } from '../../../src/outbox/rules/state-machine.js';
import { watchDestinations } from '../../../src/outbox/sending/watch-destinations.js';
import { betEvent } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { outboxWorld } from '../world.js';

/** The `error` events of an outbox while it tries to send two bets for a long time, one event for each attempt. */
async function errorsWith(answer: (attempt: number) => ReturnType<Fetch>) {
  let attempts = 0;
  const { outbox, events, run } = outboxWorld({
    client: {
      fetch: () => {
        attempts += 1;
        return answer(attempts);
      },
    },
  });
  for (const bet_id of ['B-1', 'B-2'])
    await outbox.reportBetEvent(betEvent({ bet_id }), {
      location: { latitude: 6.45, longitude: 3.39, source: 'test' },
    });
  await run(outbox.drain({ timeoutMs: 600_000 }));
  return { attempts, errors: events.flatMap(([type, event]) => (type === 'error' ? [event] : [])) };
}

const broken = (code: string, more: object = {}) =>
  Promise.reject(Object.assign(new Error('canary'), { code, ...more }));

test('an outbox whose attempts are never answered says so once, with the cause', async () => {
  const { attempts, errors } = await errorsWith(() => broken('ERR_INVALID_URL'));
  expect(attempts).toBeGreaterThan(10);
  expect(errors).toEqual([
    {
      message: expect.stringMatching(
        /^No attempt for staging \(account default\) was ever answered by the gateway; 5 were made\. .* The last attempt: reportBetEvent B-\d .*\(ERR_INVALID_URL\)\. If other/,
      ),
      cause: expect.objectContaining({ code: 'network' }),
    },
  ]);
  expect(JSON.stringify(errors)).not.toContain('canary');
});

test('after a first answer of any kind it says once that none was recorded for a while', async () => {
  for (const status of [200, 500]) {
    const { attempts, errors } = await errorsWith((attempt) =>
      attempt === 4 ? Promise.resolve(new Response('{}', { status })) : broken('ECONNRESET'),
    );
    expect(attempts).toBeGreaterThan(10);
    expect(errors).toEqual([
      {
        message: expect.stringMatching(
          /^No attempt of this process for staging \(account default\) has recorded a report for 80 s; \d+ were made\. .*ECONNRESET/,
        ),
        cause: expect.objectContaining({ code: 'network' }),
      },
    ]);
  }
});

test('an outbox to which the gateway answers only 500 says so once, in ten minutes', async () => {
  const { errors } = await errorsWith(async () => Response.json({ message: 'Broken' }, { status: 500 }));
  expect(errors).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/has recorded a report for 80 s; .* HTTP 500/) }),
  ]);
});

test('attempts that were not sent are not counted: a pause says why', async () => {
  const { errors } = await errorsWith((attempt) =>
    attempt % 2 === 0 && attempt < 10 ? broken('ECONNRESET') : broken('ECONNREFUSED', { syscall: 'connect' }),
  );
  expect(errors).toEqual([]);
});

test('attempts that a stop cuts are not counted', async () => {
  let attempts = 0;
  const fetch: Fetch = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      attempts += 1;
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const client = createClient({ ...createMockGateway().clientOptions(), fetch });
  const outbox = createOutbox({ client, store: memoryStore(), concurrency: 8 });
  const errors: unknown[] = [];
  outbox.on('error', (event) => errors.push(event));
  for (let index = 0; index < 8; index += 1) await outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
  outbox.start();
  await vi.waitUntil(() => attempts === 8);
  await outbox.stop({ timeoutMs: 50 });
  expect(errors).toEqual([]);
});

test('an outage that pauses is told by its pause alone', async () => {
  const { attempts, errors } = await errorsWith(async () => Response.json({ message: 'Down' }, { status: 503 }));
  expect([attempts > 10, errors]).toEqual([true, []]);
});

test('two attempts in doubt that are far apart are two outages, which others may have ended', () => {
  const clock = new FakeClock();
  const told: unknown[] = [];
  const emit = (_: string, event: unknown) => void told.push(event);
  const watch = watchDestinations({ accounts: [], clock, retry: { baseMs: 1_000, capMs: 300_000 } }, { emit });
  const row = { account: 'default', environment: 'staging' } as Row;
  const problem = { code: 'gateway', message: 'HTTP 500.', status: 500 } as const;
  const fails = () => watch.tellFailing(row, { kind: 'failed', outcome: 'unknown', problem });
  fails();
  clock.advance(3_600_000);
  fails();
  expect(told).toEqual([]);
  clock.advance(80_000);
  fails();
  expect(told).toHaveLength(1);
});
