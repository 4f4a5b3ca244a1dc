import { expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, type OutboxOptions, type OutboxStore } from '../../../src/entries/outbox.js';
import type { RelayClient, RelayOptions } from '../../../src/entries/relay.js';
import { gps, pageWithdrawal, relayWorld, type TestPlayer, WITHDRAWAL } from '../../http/relay/world.js';

const HERE = gps();
const THERE = gps({ latitude: 9.05, longitude: 7.49 });
const conflict = { code: 'duplicate', conflict: true, outcome: 'rejected' };
const BET = 'default:staging:reportBetEvent:BET-1';

/** Processes of one operator: each has its own relay and outbox over one database. Each lookup finds another place. */
async function operator(open: () => Promise<OutboxStore>) {
  const gateway = createMockGateway();
  let found = 0;
  const lookup = async () => {
    found += 1;
    return { latitude: 6.5, longitude: 3 + found / 100 };
  };
  const { location: _fixed, ...toGateway } = gateway.clientOptions();
  const location = { ip: { providers: [{ name: 'atlas', lookup }], cacheMs: 0 } };
  const client = createClient({ ...toGateway, location });
  const of = { amount: 1500 };
  const stores: OutboxStore[] = [];
  async function process(relay: Partial<RelayOptions<TestPlayer>> = {}, options: Partial<OutboxOptions> = {}) {
    const store = await open();
    stores.push(store);
    const outbox = createOutbox({ client, store, pollMs: 5, ...options });
    const complete = () => ({ ...of });
    const { send, lines } = relayWorld({ client: outbox as RelayClient, complete, ...relay });
    return {
      outbox,
      store,
      lines,
      report: (more: object = {}, session = 'ada') =>
        send({ body: { bet_id: 'BET-1', ...more }, headers: { cookie: `session=${session}` } }),
      withdraw: (more: object = {}) => send({ url: WITHDRAWAL, body: pageWithdrawal(more) }),
      async deliver() {
        outbox.start();
        await outbox.drain();
        await outbox.stop();
      },
    };
  }
  const sent = () => gateway.reports().map(({ body }) => body);
  return { process, of, sent, lookups: () => found };
}

/** The behaviour over each store. `open` opens the same database again. */
export function testRelayRepeats(database: () => Promise<{ readonly open: () => Promise<OutboxStore> }>): void {
  it('an event is the same report from another place, at another time, in another process and without a place', async () => {
    const { process, sent, lookups } = await operator((await database()).open);
    const first = await process();
    expect((await first.report({ location: HERE, timestamp: '1795161600' })).status).toBe(202);
    const second = await process();
    for (const more of [{ location: THERE }, { timestamp: '1795161700' }, { location: { ...HERE, accuracy: 5 } }, {}])
      for (const { report } of [first, second])
        expect((await report(more)).body).toMatchObject({ state: 'waiting', reference: 'BET-1' });
    await second.deliver();
    expect(sent()).toMatchObject([{ location: HERE, timestamp: '1795161600', amount: 1500 }]);
    expect(lookups()).toBe(0);
  });

  it('it is answered with its receipt once it is recorded, also after a restart, with no body left', async () => {
    const { process, sent, lookups } = await operator((await database()).open);
    const receipts: unknown[] = [];
    const first = await process();
    await first.report();
    await first.deliver();
    expect((await first.store.get([BET]))[0]?.body).toBeUndefined();
    // Longer ago than a page's time may be.
    const again = await process({
      onReceipt: ({ outcome }, { event }) => void receipts.push([outcome, event.amount]),
      timestampWindowMs: 1,
    });
    for (const more of [{ location: THERE }, {}, { timestamp: '1500000000' }]) {
      const { status, body } = await again.report(more);
      expect([status, body]).toMatchObject([
        200,
        { outcome: 'already-recorded', reference: 'BET-1', environment: 'staging' },
      ]);
      // The place of this request is not the one that was reported.
      expect(body.location).toBeUndefined();
    }
    expect(receipts).toEqual([1, 2, 3].map(() => ['already-recorded', 1500]));
    expect([sent().length, lookups()]).toEqual([1, 1]);
  });

  it('a withdrawal too, with its first place', async () => {
    const { process, sent } = await operator((await database()).open);
    const { withdraw, deliver } = await process();
    await withdraw({ location: HERE });
    await deliver();
    const again = await process();
    expect((await again.withdraw({ location: THERE, timestamp: '1795161999' })).body).toMatchObject({
      outcome: 'already-recorded',
      location: HERE,
    });
    expect(sent()).toHaveLength(1);
  });

  it('another amount or another player is a conflict before and after it is recorded, and gets no receipt', async () => {
    const { process, of, sent } = await operator((await database()).open);
    const first = await process();
    await first.report({ location: HERE });
    const refused = async () => {
      const other = await process();
      const foreign = await other.report({ location: HERE }, 'bola');
      expect([foreign.status, foreign.body.error]).toMatchObject([409, conflict]);
      of.amount = 7;
      expect((await other.report({ location: HERE })).body.error).toMatchObject(conflict);
      of.amount = 1500;
    };
    await refused();
    await first.deliver();
    await refused();
    expect(sent()).toMatchObject([{ amount: 1500, user: { user_id: 'U-88412' } }]);
  });

  it('two processes that store it at the same time answer alike', async () => {
    const { process, sent } = await operator((await database()).open);
    const processes = [await process(), await process(), await process()];
    const answers = await Promise.all(
      processes.flatMap(({ report }) => [report({ location: HERE }), report({ location: THERE }), report()]),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    await processes[0]?.deliver();
    expect(sent()).toHaveLength(1);
  });

  it('only a keyed fingerprint of an event is kept for its repeats', async () => {
    const { process } = await operator((await database()).open);
    const { report, deliver, store } = await process();
    await report({ location: HERE });
    await deliver();
    const [row] = await store.get([BET]);
    expect(row?.excerpt).toMatch(/^\[null,null,"-\.[0-9a-f]{8}\.[0-9a-f]{64}"\]$/);
  });
}
