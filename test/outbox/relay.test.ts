import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/core/client/create-client.js';
import type { Fetch } from '../../src/entries/index.js';
import { createOutbox, memoryStore, type OutboxStore } from '../../src/entries/outbox.js';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import type { RelayPlayer } from '../../src/entries/relay.js';
import { answer } from '../core/delivery/scripted-gateway.js';
import { failed, receipt, repeated } from '../core/delivery/scripted-relay.js';
import { gps, pageRequest, relayWorld } from '../http/relay/world.js';
import { betUser, withdrawalEvent } from '../support/factories.js';
import { failureOf } from '../support/failure-of.js';
import { FakeClock } from '../support/fake-clock.js';
import { collect } from './collect.js';

const BET = 'default:relay:reportBetEvent:BET-1';
const bet = (more: object = {}) => ({ bet_id: 'BET-1', amount: 1500, location: gps(), ...more });
/** An attempt that never ends is cancelled after this time. */
const A_WHILE = { timeoutMs: 3_000 };

/** A page: its client, a store of its player, and its requests to the given `fetch`. */
function pageOf(
  player: string,
  respond: (body: string, headers: Record<string, string>) => Promise<Response> | Response,
  given?: OutboxStore,
) {
  const clock = new FakeClock();
  const store = given ?? memoryStore({ now: clock.now, player });
  const sent: string[] = [];
  const fetch: Fetch = async (_, init) => {
    sent.push(init.body ?? '');
    return respond(init.body ?? '', init.headers as Record<string, string>);
  };
  const client = createClient({ relayUrl: 'https://shop.example/relay', fetch, clock, random: () => 0.5 });
  const outbox = createOutbox({ client, store });
  return { clock, store, sent, client, outbox, run: <T>(promise: Promise<T>) => clock.run(promise) };
}

/** The same with a list of answers. The last one is repeated. */
function scripted(...answers: (() => Response | Error)[]) {
  let next = 0;
  return pageOf('U-1', () => {
    const given = answers[Math.min(next++, answers.length - 1)]?.();
    if (!given || given instanceof Error) throw given ?? new Error('no answer');
    return given;
  });
}

const recorded = () => answer(200, receipt({ reference: 'BET-1' }));
const lost = () => new TypeError('fetch failed');
const told = (status: number, error: object) => () => failed(status, { reference: 'BET-1', ...error });

describe('a report for a relay', () => {
  it('leaves nothing but its fingerprint once it is recorded', async () => {
    const { outbox, run, store } = scripted(() =>
      answer(200, receipt({ operation: 'reportWithdrawalEvent', reference: 'W-1' })),
    );
    const { user: _, userId: __, ...withdrawal } = withdrawalEvent({ request_id: 'W-1' });
    outbox.start();
    const { done } = await outbox.reportWithdrawalEvent({ ...withdrawal, location: gps() });
    await run(done);
    expect(await store.list({ limit: 2 })).toMatchObject([{ state: 'recorded', body: undefined, excerpt: undefined }]);
  });

  it('is its own data, also if a library changed the prototype of all objects', async () => {
    const { outbox, run, sent } = scripted(recorded);
    const toJSON = () => ({ bet_id: 'another' });
    Object.defineProperty(Object.prototype, 'toJSON', { value: toJSON, configurable: true });
    try {
      await outbox.reportBetEvent(bet());
    } finally {
      Reflect.deleteProperty(Object.prototype, 'toJSON');
    }
    await run(outbox.drain());
    expect(sent.map((body) => JSON.parse(body))).toMatchObject([{ bet_id: 'BET-1', location: gps() }]);
  });

  it('is recorded with the receipt of the relay, without an environment', async () => {
    const { outbox, run } = scripted(recorded);
    outbox.start();
    const { id, state, done } = await outbox.reportBetEvent(bet());
    expect([id, state]).toEqual([BET, 'waiting']);
    const { outcome, operation, reference, location, ...more } = await run(done);
    expect({ outcome, operation, reference, location }).toEqual({
      outcome: 'recorded',
      operation: 'reportBetEvent',
      reference: 'BET-1',
      location: gps(),
    });
    expect(more).toEqual({ attempts: 1 });
    await run(outbox.stop());
  });

  it("is stored and sent without the player's identity", async () => {
    const { outbox, store, sent, run } = scripted(recorded);
    const { id } = await outbox.reportWithdrawalEvent({ ...withdrawalEvent(), location: gps() });
    await outbox.reportBetEvent(bet({ user: betUser() }));
    const [withdrawal, stored] = await store.get([id, BET]);
    await run(outbox.drain(A_WHILE));
    expect(new Set(sent)).toEqual(new Set([withdrawal?.body, stored?.body]));
    const user = { ...betUser(), ...withdrawalEvent().user };
    for (const row of [withdrawal, stored])
      for (const value of Object.values(user))
        expect(JSON.stringify(row)).not.toContain(JSON.stringify(value).slice(1, -1));
  });

  it('is accepted if an outbox behind the relay has stored it: final, with that outcome', async () => {
    const { outbox, run } = scripted(() =>
      answer(202, { id: 'x', state: 'waiting', operation: 'reportBetEvent', reference: 'BET-1' }),
    );
    outbox.start();
    const events: string[] = [];
    outbox.on('recorded', ({ outcome }) => events.push(outcome));
    const { done } = await outbox.reportBetEvent(bet());
    expect(await run(done)).toMatchObject({ outcome: 'accepted' });
    expect(await outbox.get(BET)).toMatchObject({ state: 'recorded', outcome: 'accepted' });
    expect(events).toEqual(['accepted']);
    const lines = await collect(outbox.exportReceipts());
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: BET, environment: 'relay', outcome: 'accepted' },
    ]);
    await run(outbox.stop());
  });

  it('whose answer was lost is in doubt, and recorded once the relay answers with a duplicate', async () => {
    const { outbox, run, sent } = scripted(lost, repeated);
    await outbox.reportBetEvent(bet());
    await run(outbox.drain());
    expect(new Set(sent).size).toBe(1);
    expect(await outbox.get(BET)).toMatchObject({ state: 'recorded', outcome: 'already-recorded' });
  });

  it('is quarantined after a duplicate without doubt, and after a refusal of its data', async () => {
    for (const refusal of [
      repeated,
      told(422, { code: 'unprocessable', outcome: 'rejected' }),
      told(400, { code: 'validation', outcome: 'not-sent' }),
      told(413, { code: 'bad-request', outcome: 'not-sent' }),
    ]) {
      const { outbox, run } = scripted(refusal);
      await outbox.reportBetEvent(bet());
      await run(outbox.drain());
      expect(await outbox.get(BET)).toMatchObject({ state: 'quarantined', inDoubt: false });
    }
  });

  it('ends with an error that cannot be resent: only the outbox sends what it stores', async () => {
    const { outbox, client, sent, run } = scripted(
      lost,
      told(409, { code: 'duplicate', outcome: 'rejected', conflict: true }),
    );
    outbox.start();
    const { done } = await outbox.reportBetEvent(bet());
    const error = await run(failureOf(done));
    expect([error.outcome, sent.length]).toEqual(['unknown', 2]);
    expect(await failureOf(client.resend(error))).toMatchObject({ code: 'validation', issues: [{ path: 'error' }] });
    expect(sent).toHaveLength(2);
    await run(outbox.stop());
  });

  it('that conflicts is in doubt if the relay found the location, and certain if the page sent it', async () => {
    const conflict = told(409, { code: 'duplicate', outcome: 'rejected', conflict: true });
    for (const location of [gps(), undefined]) {
      const { outbox, run } = scripted(lost, conflict);
      const { location: _, ...event } = bet();
      outbox.start();
      const { done } = await outbox.reportBetEvent({ ...event, ...(location && { location }) });
      const error = await run(failureOf(done));
      expect(error).toMatchObject({ code: 'duplicate', conflict: true, outcome: 'unknown' });
      expect((await outbox.get(BET))?.inDoubt).toBe(true);
      await run(outbox.stop());
    }
    const { outbox, run } = scripted(conflict);
    await outbox.reportBetEvent(bet());
    await run(outbox.drain());
    expect(await outbox.get(BET)).toMatchObject({
      state: 'quarantined',
      inDoubt: false,
      problem: { code: 'conflict' },
    });
  });
});

describe('an answer about the session or the address', () => {
  const html = (status: number) => () =>
    new Response('<html>Log in</html>', { status, headers: { 'content-type': 'text/html' } });

  it.each([
    ['no player is logged in', told(401, { code: 'authentication', outcome: 'not-sent' }), 'authentication'],
    ['a session check before the relay says 401', html(401), 'authentication'],
    ['a session check before the relay says 403', html(403), 'authentication'],
    ['the gateway refuses the backend', told(502, { code: 'authentication', outcome: 'rejected' }), 'authentication'],
    ['there is no relay', html(404), 'configuration'],
    ['the address takes no reports', html(405), 'configuration'],
    ['the relay has another address', told(404, { code: 'not-found', outcome: 'not-sent' }), 'configuration'],
    ['the limit is reached', told(429, { code: 'rate-limited', outcome: 'not-sent' }), 'rate-limited'],
    ['the relay is unavailable', html(503), 'unavailable'],
    ['the gateway cannot be reached', told(503, { code: 'network', outcome: 'not-sent' }), 'unavailable'],
    ['the body arrived too slowly', told(408, { code: 'timeout', outcome: 'not-sent' }), 'unreachable'],
    ['the settings of the relay are wrong', told(500, { code: 'configuration', outcome: 'not-sent' }), 'configuration'],
  ])('pauses and quarantines nothing: %s', async (_, refused, reason) => {
    let open = false;
    const { outbox, run } = pageOf('U-1', (body) =>
      open ? answer(200, receipt({ reference: JSON.parse(body).bet_id })) : refused(),
    );
    await outbox.reportBetEvent(bet());
    await outbox.reportBetEvent(bet({ bet_id: 'BET-2' }));
    await run(outbox.drain(A_WHILE));
    const { paused, states } = await outbox.stats();
    expect(paused).toMatchObject([{ environment: 'relay', reason }]);
    expect([states.waiting, states.quarantined]).toEqual([2, 0]);
    if (!/^(?:503|unavailable)$/.test(reason))
      expect(await outbox.get(BET)).toMatchObject({ inDoubt: false, attempts: 0 });
    open = true;
    await run(outbox.drain());
    expect((await outbox.stats()).states.recorded).toBe(2);
  });

  it('waits for the time that the relay asks for', async () => {
    const { outbox, run } = scripted(told(429, { code: 'rate-limited', outcome: 'not-sent', retryAfterMs: 90_000 }));
    await outbox.reportBetEvent(bet());
    await run(outbox.drain(A_WHILE));
    const [pause] = (await outbox.stats()).paused;
    expect((pause?.until ?? 0) - (pause?.since ?? 0)).toBe(90_000);
  });

  it('lets a report wait that the relay does not take now, without delaying the others', async () => {
    const forbidden = told(403, { code: 'bad-request', outcome: 'not-sent' });
    const { outbox, run } = pageOf('U-1', (body) =>
      body.includes('BET-1') ? forbidden() : answer(200, receipt({ reference: 'BET-2' })),
    );
    await outbox.reportBetEvent(bet());
    await outbox.reportBetEvent(bet({ bet_id: 'BET-2' }));
    await run(outbox.drain(A_WHILE));
    expect((await outbox.stats()).paused).toEqual([]);
    expect(await outbox.get(BET)).toMatchObject({ state: 'waiting', inDoubt: false, problem: { status: 403 } });
    expect(await outbox.get('default:relay:reportBetEvent:BET-2')).toMatchObject({ state: 'recorded' });
  });
});

describe('another player in the same browser', () => {
  /** A page of one player before a real relay, in the current session of the browser. */
  function shop(player: string, authorize?: (session: string) => RelayPlayer & { session: string }) {
    const world = relayWorld(authorize && { authorize: ({ headers }) => authorize(headers.get('cookie') ?? '') });
    const browser = { session: 'ada' };
    const page = pageOf(
      player,
      (body, headers) =>
        world.relay(pageRequest({ body, headers: { ...headers, cookie: `session=${browser.session}` } }), {
          remoteAddress: '102.89.23.47',
        }) as Promise<Response>,
    );
    return { ...world, ...page, browser };
  }

  it('never gets a report of the previous player: it waits until that player logs in again', async () => {
    const { outbox, gateway, browser, run } = shop(betUser().user_id);
    await outbox.reportBetEvent(bet());
    browser.session = 'bola';
    await run(outbox.drain(A_WHILE));
    expect(gateway.requests()).toEqual([]);
    expect((await outbox.stats()).paused).toMatchObject([
      {
        reason: 'authentication',
        message: expect.stringContaining('The logged-in player is not the player of this report'),
      },
    ]);

    browser.session = 'ada';
    await run(outbox.drain());
    expect(gateway.reports()).toMatchObject([{ body: { bet_id: 'BET-1', user: betUser() } }]);
  });

  it('is recognised by the operator’s name of the player, if the page has no other', async () => {
    const authorize = (session: string) => ({
      session,
      user: betUser(),
      outboxPlayer: session === 'session=ada' ? 'opaque-1' : 'opaque-2',
    });
    const { outbox, gateway, browser, run } = shop('opaque-1', authorize);
    await outbox.reportBetEvent(bet());
    browser.session = 'bola';
    await run(outbox.drain(A_WHILE));
    expect(gateway.requests()).toEqual([]);
    browser.session = 'ada';
    await run(outbox.drain());
    expect(gateway.reports()).toHaveLength(1);
  });

  it('is recognised by a hash: the request contains neither name', async () => {
    const headers: Record<string, string>[] = [];
    const { outbox, run } = pageOf('canary-player', (_, sent) => {
      headers.push(sent);
      return recorded();
    });
    await outbox.reportBetEvent(bet());
    await run(outbox.drain());
    // The guide gives this formula to authors of other relays.
    const hash = createHash('sha256').update('location-sdk player canary-player').digest('hex');
    expect(headers).toMatchObject([{ 'x-location-sdk-player': hash }]);
    expect(JSON.stringify(headers)).not.toContain('canary-player');
  });
});

describe('an outbox that could mix players up', () => {
  const relayed = () => createClient({ relayUrl: 'https://shop.example/relay' });

  it('is refused: a store without a player over a relay, and a player’s store over a gateway', async () => {
    expect(() => createOutbox({ client: relayed(), store: memoryStore() })).toThrow(/indexedDbStore\(\{ player \}\)/);
    expect(() => createOutbox({ client: relayed(), store: memoryStore({ player: '' }) })).toThrow(
      /indexedDbStore\(\{ player \}\)/,
    );
    expect(() => createOutbox({ client: createClient(), store: memoryStore({ player: 'U-1' }) })).toThrow(/relayUrl/);
  });

  it('is refused over a store for servers', async () => {
    const { DatabaseSync: Database } = await import('@photostructure/sqlite');
    const database = new Database(':memory:');
    const store = await sqliteStore({ database });
    expect(() => createOutbox({ client: relayed(), store })).toThrow(/indexedDbStore\(\{ player \}\)/);
  });

  it('refuses settlements, which belong to the backend', async () => {
    const { outbox } = scripted(recorded);
    expect(
      await failureOf((outbox as unknown as { reportSettledBet(bet: object): Promise<unknown> }).reportSettledBet({})),
    ).toMatchObject({
      code: 'configuration',
    });
  });
});
