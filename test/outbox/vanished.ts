import { createClient, type Fetch } from '../../src/entries/index.js';
import { createOutbox, type Outbox, type OutboxStore } from '../../src/entries/outbox.js';
import { settlementReports } from '../support/factories.js';

const REPORTS = 12;

/**
 * The breaker of an outbox opens, its store loses rows by plain SQL, and the gateway recovers. Returns the number of
 * reports that were recorded or quarantined at the end.
 */
export async function loseBreaker(
  store: OutboxStore,
  lose: () => Promise<unknown>,
): Promise<{ readonly sent: number; readonly recorded: number }> {
  let isWell = false;
  const fetch: Fetch = async () => {
    const [status, message] = isWell ? [200, 'reported'] : [422, 'cannot be processed'];
    return new Response(JSON.stringify({ message }), { status, headers: { 'content-type': 'application/json' } });
  };
  const logger = { warn: () => {}, info: () => {} };
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } },
    environment: 'staging',
    fetch,
    logger,
  });
  const outbox = createOutbox({ client, store, breakerAfter: 2, pollMs: 20, retry: { baseMs: 10, capMs: 40 } });
  const opened = new Promise((resolve) => outbox.on('paused', resolve));
  await outbox.reportAll(settlementReports(REPORTS));
  outbox.start();
  await opened;
  const until = async (isSo: (states: Awaited<ReturnType<Outbox['stats']>>['states']) => boolean) => {
    for (let tries = 0; tries < 250; tries += 1) {
      const { states } = await outbox.stats();
      if (isSo(states)) return states;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return (await outbox.stats()).states;
  };
  await until((states) => states['in-flight'] === 0);
  isWell = true;
  await lose();
  const { recorded, quarantined } = await until((states) => states.recorded + states.quarantined === REPORTS);
  await outbox.stop({ timeoutMs: 500 });
  return { sent: recorded + quarantined, recorded };
}

/** All reports, of which the breaker let two be quarantined. */
export const ALL_SENT = { sent: REPORTS, recorded: REPORTS - 2 };
