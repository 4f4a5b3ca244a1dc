import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { createOutbox, type OutboxStore } from '../../../src/entries/outbox.js';
import { verifyReceipts } from '../../../src/outbox/receipts/verify.js';
import type { Row } from '../../../src/outbox/rules/state-machine.js';
import { betEvent, settledBet } from '../../support/factories.js';
import { http, type RawRequest, rawGateway } from '../../support/raw-gateway.js';
import { collect } from '../collect.js';

const REFERENCES = Array.from({ length: 80 }, (_, index) => `B-${index}`);
const LOCATION = { latitude: 6.4, longitude: 7.5, source: 'gps' };
/** From this version on, the gateway takes a bet. */
const RIGHT = 4;
const KILLS = 12;

/**
 * A gateway without code of the package. It refuses early versions, and loses some requests and some answers. It asks
 * `statesOf` about each settlement that arrives and its bet.
 */
async function startGateway(statesOf: (reference: string) => Promise<readonly (Row['state'] | undefined)[]>) {
  /** The versions of each bet in the order in which they arrived, and the one that was recorded. */
  const arrived = new Map<string, number[]>();
  const recorded = new Map<string, number>();
  const settled = new Set<string>();
  const other: string[] = [];
  /** The settlements that arrived while their bets were open. */
  const early: string[] = [];
  const answer = (status: number, message: string): string => http(String(status), JSON.stringify({ message }));

  function receiveBet(reference: string, version: number, socket: Socket): string | undefined {
    arrived.set(reference, [...(arrived.get(reference) ?? []), version]);
    const held = recorded.get(reference);
    if (held !== undefined) {
      if (held !== version) other.push(`${reference}: version ${version} after ${held} was recorded`);
      const how = held === version ? '' : ' with different data';
      return answer(409, `Bet event ${reference} has already been reported${how}`);
    }
    const dice = Math.random();
    // Lost before it was processed.
    if (dice < 0.03) return void socket.destroy();
    if (version < RIGHT) return answer(422, 'amount is not valid');
    recorded.set(reference, version);
    // Lost after it was recorded.
    if (dice < 0.3) return void socket.destroy();
    return answer(200, 'Bet event reported successfully');
  }

  async function receive({ path, body }: RawRequest, socket: Socket): Promise<string | undefined> {
    const { bet_id: reference, amount } = JSON.parse(body);
    if (path.includes('settled')) {
      const [state, betState] = await statesOf(reference);
      // If it is no longer in flight, its request is an old one.
      if (state === 'in-flight' && betState !== 'recorded' && betState !== 'dismissed')
        early.push(`${reference}: its bet is ${betState}`);
      if (!recorded.has(reference)) return answer(404, `Bet ${reference} was not found`);
      settled.add(reference);
      return answer(200, 'Bet settled successfully');
    }
    // Slow enough that a killed process holds few reports.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return receiveBet(reference, amount, socket);
  }

  const { baseUrl, close } = await rawGateway((request, _, socket) => receive(request, socket));
  return {
    baseUrl,
    arrived,
    recorded,
    settled,
    other,
    early,
    close,
  };
}

/** Whether an attempt before the present one may have been recorded. */
const isInDoubt = ({ state, inDoubt, doubtBefore }: Row): boolean => (state === 'in-flight' ? doubtBefore : inDoubt);

/**
 * Kills processes again and again while they send, dismiss, reopen and replace, two at a time. Afterwards every report
 * is as the gateway has it, no earlier data arrived after later data, no settlement arrived while its bet was open, and
 * the log of receipts is complete.
 */
export async function replaceUntilKilled(store: OutboxStore, ...place: readonly string[]): Promise<void> {
  const gateway = await startGateway(async (reference) => {
    const ids = ['reportSettledBet', 'reportBetEvent'].map((operation) => `default:staging:${operation}:${reference}`);
    return (await store.get(ids)).map((row) => row?.state);
  });
  const client = createClient({ gateways: { staging: { baseUrl: gateway.baseUrl, apiKey: 'key' } } });
  const outbox = createOutbox({ client, store });
  for (const bet_id of REFERENCES) {
    await outbox.reportBetEvent({ ...betEvent({ bet_id, amount: 1, timestamp: '1795161600' }), location: LOCATION });
    await outbox.reportSettledBet(settledBet({ bet_id }));
  }
  const script = fileURLToPath(new URL('decide-until-killed.js', import.meta.url));
  const start = () => fork(script, [gateway.baseUrl, ...place]);
  const kill = async (child: ReturnType<typeof start>): Promise<unknown> => {
    if (child.exitCode !== null) throw new Error('A process ended by itself; its error is above.');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    return (await ended)[1];
  };
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const undone = async () =>
    (await store.list({ limit: 1_000 })).filter(
      (row) => row.operation === 'reportBetEvent' && row.state !== 'recorded' && !isInDoubt(row),
    ).length;

  let children = [start(), start()];
  try {
    for (let kills = 0; kills < KILLS; kills += 1) {
      const [first, ...others] = children;
      if (!first) break;
      // In the middle of its work.
      for (let left = 5 + Math.random() * 15; left > 0; left -= 1)
        await Promise.race([once(first, 'message'), pause(2_000)]);
      await pause(Math.random() * 20);
      expect(await kill(first)).toBe('SIGKILL');
      children = [...others, start()];
    }
    for (let tries = 0; tries < 600 && (await undone()) > 0; tries += 1) await pause(100);
    await pause(1_500);
  } finally {
    for (const child of children) if (child.exitCode === null) await kill(child);
    await gateway.close();
  }

  expect(gateway.other).toEqual([]);
  expect(gateway.early).toEqual([]);
  for (const [reference, versions] of gateway.arrived)
    expect([reference, versions]).toEqual([reference, [...versions].sort((a, b) => a - b)]);
  const rows = await store.list({ limit: 1_000 });
  let replaced = 0;
  for (const row of rows) {
    const { operation, reference, state, decisions, body = '{}' } = row;
    if (operation === 'reportBetEvent') {
      const held = gateway.recorded.get(reference);
      replaced += decisions.filter(({ action }) => action === 'replaced').length;
      if (state === 'recorded') expect([reference, JSON.parse(body).amount]).toEqual([reference, held]);
      // A report in doubt stays with a person, who cannot replace it.
      else expect([reference, state, isInDoubt(row)]).toEqual([reference, state, true]);
    } else if (state === 'recorded') expect(gateway.settled).toContain(reference);
  }
  expect(replaced).toBeGreaterThan(REFERENCES.length);
  const lines = await collect(outbox.exportReceipts());
  expect(await verifyReceipts(lines)).toMatchObject({ valid: true, count: lines.length });
  const entries = lines.map((line) => JSON.parse(line));
  for (const { id, state, decisions, fingerprint } of rows) {
    const own = entries.filter((entry) => entry.id === id);
    const ends = decisions.filter(({ action }) => action === 'dismissed').length + (state === 'recorded' ? 1 : 0);
    expect([id, own.length]).toEqual([id, ends]);
    if (state === 'recorded') expect(own.at(-1)).toMatchObject({ outcome: expect.any(String), fingerprint });
  }
}
