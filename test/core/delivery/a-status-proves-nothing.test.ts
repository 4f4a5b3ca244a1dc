import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { nodeTransport } from '../../../src/entries/transport-node.js';
import { betEvent, LOCATION } from '../../support/factories.js';
import { http, rawGateway } from '../../support/raw-gateway.js';

// This test shares no code with the reading of answers: its gateway is a raw socket that loses the first request of
// each bet, as if it had never arrived, and answers the second one with the given bytes.

/** Bodies of a 409 from a server between, or from a gateway that never had the report. */
const OTHER_REASONS = [
  '',
  '{}',
  'null',
  '[]',
  '"Conflict"',
  '{"statusCode":409}',
  '{"message":"Conflict"}',
  '{"error":"Conflict","message":"Conflict","statusCode":409}',
  '{"message":"Optimistic lock failure"}',
  '{"message":"Database deadlock"}',
  '{"message":"Wallet is busy"}',
  '{"message":"Maintenance"}',
  '{"message":"Player account is suspended"}',
  '{"error":"Version conflict: the row has different data"}',
  '{"message":"user already exists in the self-exclusion list"}',
  '{"message":"Duplicate detection is unavailable"}',
  '{"code":"DUPLICATE_REQUEST","message":"Wallet is busy"}',
  '{"message":"Session already exists"}',
  '{"title":"Conflict","type":"https://errors.example.com/duplicate-report"}',
  '{"message":"This bet has already been repor',
  '<h1>This bet has already been reported</h1>',
];

const REPEATS = [
  '{"message":"This data has already been reported","error":"Conflict","statusCode":409}',
  '{"message":"This bet has already been reported"}',
  '{"message":"Duplicate report"}',
  '{"code":"DUPLICATE_REPORT"}',
  '{"error":{"code":"BET_ALREADY_REPORTED"},"message":"Conflict"}',
  '{"title":"Conflict","detail":"The bet BET-ID has already been settled."}',
];

/** At 409, these say the same. */
const EXISTS = [
  '{"message":"A bet with this id already exists"}',
  '{"message":"Bet BET-ID already exists"}',
  '{"code":"BET_ALREADY_EXISTS"}',
];

/** A gateway that closes the connection of the first request of each bet, and answers later ones by `bodies`. */
async function losingGateway(status: number, bodies: readonly string[]): Promise<string> {
  const seen = new Set<string>();
  const { baseUrl, close } = await rawGateway(({ body: sent }, _, socket) => {
    const [, id = '', index = ''] = /"(BET-(\d+))"/.exec(sent) ?? [];
    if (seen.has(id)) return http(`${status} Refused`, (bodies[Number(index)] ?? '').replace('BET-ID', id));
    seen.add(id);
    socket.destroy();
  });
  onTestFinished(close);
  return baseUrl;
}

const clientOf = (baseUrl: string) => {
  const transport = nodeTransport();
  onTestFinished(() => transport.close());
  return createClient({
    gateways: { staging: { baseUrl, apiKey: 'key' } },
    environment: 'staging',
    retry: { limit: 1, baseMs: 0 },
    logger: { warn: () => {} },
    transport,
  });
};

const eventOf = (index: number) => betEvent({ bet_id: `BET-${index}` });

/** How each call of a client ends. */
async function byClient(status: number, bodies: readonly string[]): Promise<string[]> {
  const client = clientOf(await losingGateway(status, bodies));
  const calls = bodies.map((_, index) => client.reportBetEvent(eventOf(index), { location: LOCATION }));
  const ends = await Promise.allSettled(calls);
  return ends.map((end) =>
    end.status === 'fulfilled' ? end.value.outcome : String(Reflect.get(end.reason, 'outcome')),
  );
}

/**
 * How each report of an outbox stands after its second attempt: its outcome, or its state and whether it is in doubt.
 */
async function byOutbox(status: number, bodies: readonly string[]): Promise<string[]> {
  const client = clientOf(await losingGateway(status, bodies));
  const outbox = createOutbox({
    client,
    store: memoryStore(),
    breakerAfter: 1_000,
    retry: { baseMs: 1, capMs: 5 },
    pollMs: 10,
  });
  onTestFinished(() => outbox.stop({ timeoutMs: 500 }));
  const attempts = new Map<string, number>();
  const settled = new Promise<void>((resolve) => {
    const count = ({ reference }: { reference: string }) => {
      attempts.set(reference, (attempts.get(reference) ?? 0) + 1);
      if (bodies.every((_, index) => (attempts.get(`BET-${index}`) ?? 0) >= 2)) resolve();
    };
    for (const type of ['delayed', 'quarantined', 'recorded'] as const) outbox.on(type, count);
  });
  const reports = bodies.map((_, index) => ({
    operation: 'reportBetEvent' as const,
    payload: eventOf(index),
    options: { location: LOCATION },
  }));
  await outbox.reportAll(reports);
  outbox.start();
  await settled;
  const rows = await outbox.list({ limit: 100 });
  const byReference = new Map(
    rows.map((row) => [row.reference, row.outcome ?? `${row.state}${row.inDoubt ? ' in doubt' : ''}`]),
  );
  return bodies.map((_, index) => byReference.get(`BET-${index}`) ?? 'missing');
}

const each = (bodies: readonly string[], ends: readonly string[]) => bodies.map((body, index) => [body, ends[index]]);
const all = (bodies: readonly string[], end: string) => bodies.map((body) => [body, end]);

describe('after a request that was lost before the gateway', () => {
  it.each([409, 400, 422])('a %i without words about this report leaves the doubt', async (status) => {
    expect(each(OTHER_REASONS, await byClient(status, OTHER_REASONS))).toEqual(all(OTHER_REASONS, 'unknown'));
    for (const [body, end] of each(OTHER_REASONS, await byOutbox(status, OTHER_REASONS)))
      expect([body, end]).toEqual([body, expect.stringMatching(/ in doubt$/)]);
  });

  it.each([409, 400, 422])('a %i whose words say that this report was reported means recorded', async (status) => {
    const bodies = status === 409 ? [...REPEATS, ...EXISTS] : REPEATS;
    expect(each(bodies, await byClient(status, bodies))).toEqual(all(bodies, 'already-recorded'));
    expect(each(bodies, await byOutbox(status, bodies))).toEqual(all(bodies, 'already-recorded'));
  });

  it.each([400, 422])('"already exists" in a %i leaves the doubt', async (status) => {
    expect(each(EXISTS, await byClient(status, EXISTS))).toEqual(all(EXISTS, 'unknown'));
  });
});
