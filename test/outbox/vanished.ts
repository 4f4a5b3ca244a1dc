import { createClient, type Fetch } from '../../src/entries/index.js';
import { createOutbox, type Outbox, type OutboxStore } from '../../src/entries/outbox.js';
import { settledBet } from '../support/factories.js';

const REPORTS = 12;

/** The breaker of an outbox opens, its store loses rows by plain SQL, and the gateway recovers. Returns the states of all reports at the end. */
export async function loseBreaker(store: OutboxStore, lose: () => Promise<unknown>): Promise<Awaited<ReturnType<Outbox['stats']>>['states']> {
  let isWell = false;
  const fetch: Fetch = async () => {
    const [status, message] = isWell ? [200, 'reported'] : [422, 'cannot be processed'];
    return new Response(JSON.stringify({ message }), { status, headers: { 'content-type': 'application/json' } });
  };
  const logger = { warn: () => {}, info: () => {} };
  const client = createClient({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } }, environment: 'staging', fetch, logger });
  const outbox = createOutbox({ client, store, breakerAfter: 2, pollMs: 20, retry: { baseMs: 10, capMs: 40 } });
  const opened = new Promise((resolve) => outbox.on('paused', resolve));
  await outbox.reportAll(
    Array.from({ length: REPORTS }, (_, index) => ({ operation: 'reportSettledBet' as const, payload: settledBet({ bet_id: `B-${index}` }) })),
  );
  outbox.start();
  await opened;
  isWell = true;
  await lose();
  const isLeft = async () => {
    const { states } = await outbox.stats();
    return states.waiting + states['in-flight'] > 0;
  };
  for (let tries = 0; tries < 250 && (await isLeft()); tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  const { states } = await outbox.stats();
  await outbox.stop({ timeoutMs: 500 });
  return states;
}

/** All reports, of which the breaker let two be quarantined. */
export const ALL_SENT = { recorded: REPORTS - 2, quarantined: 2, waiting: 0, 'in-flight': 0 };
