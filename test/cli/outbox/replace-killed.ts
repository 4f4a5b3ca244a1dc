import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, type OutboxStore } from '../../../src/entries/outbox.js';
import { verifyReceipts } from '../../../src/outbox/receipts/verify.js';
import { leaksIn, personalBet, personalSettlement } from '../../outbox/personal.js';
import { type BuiltCli, buildCli } from '../../support/built-cli.js';
import { newFolder } from '../../support/new-folder.js';

const MANY = 2_000;
const RIGHT = 7;
const GATEWAY = 'https://gateway.example.com';
const bets = Array.from({ length: MANY }, (_, index) => ({ ...personalBet(`B-${index}`), timestamp: '1795161600' }));

/** A correction of many that is killed, over the store of `place`. `words`: the options that name it. */
export function testKilledReplacement(
  open: () => Promise<{ readonly store: OutboxStore; readonly place: string; readonly words: readonly string[] }>,
): void {
  let cli: BuiltCli;
  beforeAll(async () => {
    cli = await buildCli();
  }, 60_000);
  afterAll(() => cli.remove());

  it('a correction of 2,000 reports that is killed sends each once, in order, in its new bytes', {
    timeout: 240_000,
  }, async () => {
    const { store, place, words } = await open();
    const sent: string[] = [];
    const gateway = createMockGateway();
    const client = createClient({
      gateways: { staging: { baseUrl: GATEWAY, apiKey: 'mock-api-key' } },
      fetch: (url, init) => {
        sent.push(String(init.body ?? ''));
        return gateway.fetch(url, init as object);
      },
    });
    const outbox = createOutbox({ client, store, concurrency: 1 });
    await outbox.reportAll(bets.map((payload) => ({ operation: 'reportBetEvent', payload })));
    const folder = newFolder('replace-killed');
    const file = join(folder, 'corrected.ndjson');
    // In another order, and without the locations: the stored ones stay.
    const lines = bets.map(({ location: _, ...bet }: (typeof bets)[number] & { location?: unknown }) => ({
      ...bet,
      amount: 7,
    }));
    writeFileSync(
      file,
      lines
        .reverse()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    const call = ['outbox', place, 'replace', '--from', file, '--operation', 'reportBetEvent'];
    const more = ['--environment', 'staging', '--reason', 'the amount was in kobo', ...words];
    const variables = { LOCATION_SDK_STAGING_BASE_URL: GATEWAY };
    const decisions = async () => (await store.operator?.decisions(undefined, 10)) ?? [];
    let before = 0;
    for (let kills = 0; kills < 2; kills += 1) {
      const child = cli.startWith(variables, ...call, ...more);
      const ended = once(child, 'exit');
      while (child.exitCode === null && ((await decisions())[0]?.cursor ?? 0) <= before)
        await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill('SIGKILL');
      expect((await ended)[1]).toBe('SIGKILL');
      before = (await decisions())[0]?.cursor ?? 0;
      expect(before).toBeLessThan(MANY);
    }
    const began = performance.now();
    const last = await cli.runWith(variables, ...call, ...more);
    expect(last).toMatchObject({ code: 0, out: expect.stringMatching(/ reports replaced\.\n$/) });
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(leaksIn(last.out + last.err)).toEqual([]);
    expect(await decisions()).toMatchObject([{ action: 'replaced', touched: MANY, done: true }]);
    expect(leaksIn(JSON.stringify(await decisions()))).toEqual([]);
    const again = await cli.runWith(variables, ...call, ...more);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed') });
    expect(again.err).toContain('2,000 have this data already');
    expect(await decisions()).toHaveLength(1);

    expect((await outbox.drain()).drained).toBe(true);
    const arrived = sent.map((body) => JSON.parse(body));
    const places = arrived.map(({ bet_id }) => Number(bet_id.slice('B-'.length)));
    expect([...places].sort((one, other) => one - other)).toEqual(bets.map((_, index) => index));
    // Reports that a busy worker took and gave back come later, in their own order.
    const steps = places.filter((place, index) => place < (places[index - 1] ?? place));
    expect(steps.length).toBeLessThan(MANY / 100);
    expect(arrived.every(({ amount, location }) => amount === 7 && location.city === 'Wobblington')).toBe(true);
    const receipts: string[] = [];
    for await (const line of outbox.exportReceipts()) receipts.push(line);
    expect(await verifyReceipts(receipts)).toMatchObject({ valid: true, count: MANY });
    expect(receipts.every((line) => JSON.parse(line).decisions?.length === 1)).toBe(true);
    expect(leaksIn(receipts.join(''))).toEqual([]);
    await store.close?.();
  });

  it('a file of bets and settlements that is killed beside a worker sends each corrected bet and then its settlement', {
    timeout: 240_000,
  }, async () => {
    const { store, place, words } = await open();
    const sent: { bet_id: string; amount?: number; payout_amount?: number }[] = [];
    const gateway = createMockGateway();
    const client = createClient({
      gateways: { staging: { baseUrl: GATEWAY, apiKey: 'mock-api-key' } },
      fetch: async (url, init) => {
        const body = JSON.parse(String(init.body));
        sent.push(body);
        if (body.amount === undefined || body.amount === RIGHT) return gateway.fetch(url, init as object);
        return Response.json({ message: 'amount must be right', statusCode: 422 }, { status: 422 });
      },
    });
    // No pause: the worker sends each bet as soon as it is replaced.
    const outbox = createOutbox({ client, store, breakerAfter: 1_000_000, pollMs: 50 });
    const names = Array.from({ length: 600 }, (_, index) => `P-${index}`);
    const isWrong = (name: string) => Number(name.slice('P-'.length)) % 6 !== 0;
    const wrong = names.filter(isWrong);
    const amountOf = (name: string) => (isWrong(name) ? RIGHT + 1 : RIGHT);
    const bet = (bet_id: string, amount: number) => ({ ...personalBet(bet_id), timestamp: '1795161600', amount });
    const settlement = (bet_id: string, payout_amount: number) => ({ ...personalSettlement(bet_id), payout_amount });
    const payload = (name: string) => bet(name, amountOf(name));
    await outbox.reportAll(names.map((name) => ({ operation: 'reportBetEvent', payload: payload(name) })));
    const settled = names.map((name) => settlement(name, amountOf(name)));
    await outbox.reportAll(settled.map((one) => ({ operation: 'reportSettledBet', payload: one })));
    outbox.start();
    const states = async () => (await outbox.stats()).states;
    const [many, right] = [wrong.length, names.length - wrong.length];
    await expect
      .poll(states, { timeout: 60_000 })
      .toMatchObject({ quarantined: many, blocked: many, recorded: 2 * right, waiting: 0, 'in-flight': 0 });

    const variables = { LOCATION_SDK_STAGING_BASE_URL: GATEWAY };
    const run = (...call: string[]) => cli.runWith(variables, 'outbox', place, ...call, ...words);
    const listed = await run('list', '--json', '--environment', 'staging', '--limit', '1000000');
    const lines = listed.out
      .trim()
      .split('\n')
      .map((line): { operation: string; reference: string } => JSON.parse(line))
      .map(({ operation, reference }) => {
        const { location: _, ...corrected }: Record<string, unknown> = { ...bet(reference, RIGHT) };
        return { operation, ...(operation === 'reportBetEvent' ? corrected : settlement(reference, RIGHT)) };
      });
    expect(lines).toHaveLength(2 * many);
    const file = join(newFolder('replace-killed'), 'corrected.ndjson');
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const call = ['replace', '--from', file, '--environment', 'staging', '--reason', 'the amount was in kobo'];
    const dry = await run(...call, '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.err).toContain(`reportSettledBet:\n  ${many} would be replaced\n`);
    const decisions = async () => (await store.operator?.decisions(undefined, 10)) ?? [];
    let before = 0;
    for (let kills = 0; kills < 2; kills += 1) {
      const child = cli.startWith(variables, 'outbox', place, ...call, ...words);
      const ended = once(child, 'exit');
      while (child.exitCode === null && ((await decisions())[0]?.cursor ?? 0) <= before)
        await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill('SIGKILL');
      expect((await ended)[1]).toBe('SIGKILL');
      before = (await decisions())[0]?.cursor ?? 0;
    }
    const last = await run(...call);
    expect(last).toMatchObject({ code: 0, out: expect.stringMatching(/ reports replaced\.\n$/) });
    expect(await decisions()).toMatchObject([{ action: 'replaced', touched: 2 * many, done: true }]);
    await expect
      .poll(states, { timeout: 60_000 })
      .toMatchObject({ quarantined: 0, blocked: 0, recorded: 2 * names.length, waiting: 0, 'in-flight': 0 });
    expect(await run(...call)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed') });
    expect(await decisions()).toHaveLength(1);
    await outbox.stop();

    const arrived = new Map<string, string[]>();
    for (const { bet_id, amount, payout_amount } of sent)
      arrived.set(bet_id, [...(arrived.get(bet_id) ?? []), amount ? `bet ${amount}` : `settled ${payout_amount}`]);
    for (const name of names)
      expect(arrived.get(name)).toEqual([
        ...(isWrong(name) ? [`bet ${RIGHT + 1}`] : []),
        `bet ${RIGHT}`,
        `settled ${RIGHT}`,
      ]);
    const receipts: string[] = [];
    for await (const line of outbox.exportReceipts()) receipts.push(line);
    expect(await verifyReceipts(receipts)).toMatchObject({ valid: true, count: 2 * names.length });
    expect(leaksIn(receipts.join('') + last.out + last.err + dry.out + dry.err)).toEqual([]);
    await store.close?.();
  });
}
