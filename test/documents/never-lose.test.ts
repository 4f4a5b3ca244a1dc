import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasCode } from '../../src/core/errors/errors.js';
import { type Client, createClient, isReportingError, type Receipt } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { expectFreshBuild } from '../support/built.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../support/factories.js';
import { root } from '../support/run.js';

test('the guide resends until it is certain, beyond the retries of one call', { timeout: 30_000 }, async () => {
  expectFreshBuild();
  const shown = readFileSync(join(root, 'examples/without-outbox.ts'), 'utf8');
  const folder = await mkdtemp(join(root, 'test/.docs-'));
  try {
    const file = join(folder, 'until-certain.mjs');
    await writeFile(file, (await transform(shown, { loader: 'ts', format: 'esm' })).code);
    const { untilCertain, report } = await import(file);
    const gateway = createMockGateway({ validation: 'partial' });
    const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
    gateway.faults.add({ kind: 'connection-reset', when: 'after', times: 4 });
    const receipt = await untilCertain(client, client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' } }), 1);
    expect(receipt).toMatchObject({ outcome: 'already-recorded', reference: 'B-1' });
    expect([gateway.requests().length, gateway.reports().length]).toEqual([5, 1]);
    await expect(
      untilCertain(client, client.reportBetEvent({ bet_id: '', user: { user_id: 'U-1' } }), 1),
    ).rejects.toMatchObject({ code: 'validation' });

    const reporting = (id: string) => client.reportBetEvent({ bet_id: id, user: { user_id: 'U-1' } });
    gateway.faults.add({ kind: 'connection-reset', when: 'after' });
    const inDoubt: unknown = await reporting('B-2').catch((error: unknown) => error);
    gateway.faults.add({ kind: 'status', status: 401, times: 3 });
    await expect(untilCertain(client, Promise.reject(inDoubt), 1, 3)).rejects.toMatchObject({
      status: 401,
      outcome: 'unknown',
    });

    const pages: string[] = [];
    const wake = (text: string) => pages.push(text);
    for (const status of [401, 403, 403, 422]) {
      gateway.faults.add({ kind: 'status', status });
      const reported = report(client, 'B-3', () => reporting('B-3'), wake);
      await expect(reported).rejects.toMatchObject({ status, outcome: 'rejected' });
    }
    expect(pages.splice(0)).toEqual([expect.stringContaining('HTTP 401'), expect.stringContaining('HTTP 403')]);

    for (const id of ['B-4', 'B-5']) await reporting(id);
    for (const id of ['B-4', 'B-4', 'B-5'])
      await expect(report(client, id, () => reporting(id), wake)).rejects.toMatchObject({ code: 'duplicate' });
    expect(pages).toEqual([expect.stringContaining('B-4'), expect.stringContaining('B-5')]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const LOCATION = { latitude: 6.45, longitude: 7.51, source: 'provided' };
const ELSEWHERE = { latitude: 9.06, longitude: 7.49, source: 'provided' };
const timestamp = '1795161600';

type Call = (client: Client<'strict'>, options?: { signal: AbortSignal }) => Promise<Receipt>;

/** Each operation: its first call, the same bytes again, and the same report with another time or place. */
const OPERATIONS: Readonly<Record<string, { same: Call; other?: Call }>> = {
  reportBetEvent: {
    same: (client, options) => client.reportBetEvent(betEvent({ timestamp }), { location: LOCATION, ...options }),
    other: (client) => client.reportBetEvent(betEvent({ timestamp: '1795161601' }), { location: LOCATION }),
  },
  reportSettledBet: { same: (client, options) => client.reportSettledBet(settledBet(), options) },
  reportWithdrawalEvent: {
    same: (client, options) =>
      client.reportWithdrawalEvent(withdrawalEvent({ timestamp }), { location: LOCATION, ...options }),
    other: (client) => client.reportWithdrawalEvent(withdrawalEvent({ timestamp }), { location: ELSEWHERE }),
  },
  reportSettledWithdrawal: {
    same: (client, options) => client.reportSettledWithdrawal(settledWithdrawal(), { location: LOCATION, ...options }),
    other: (client) => client.reportSettledWithdrawal(settledWithdrawal(), { location: ELSEWHERE }),
  },
};

/** A call's end, in the words of the guide. */
const endOf = (call: Promise<Receipt>) =>
  call.then(
    ({ outcome }) => `\`${outcome}\``,
    (error: unknown) => {
      if (hasCode(error, 'duplicate')) return `\`DuplicateReportError\`, \`conflict: ${error.conflict}\``;
      return isReportingError(error) ? `\`${error.name}\`` : String(error);
    },
  );

type Gateway = ReturnType<typeof createMockGateway>;

/** How the first call comes to each of the ends in the table. */
const FIRST_ENDS: Readonly<
  Record<string, { outcome: string; prepare?: (gateway: Gateway) => void; cancelled?: true }>
> = {
  'a receipt': { outcome: 'recorded' },
  '`not-sent`': { outcome: 'not-sent', cancelled: true },
  '`rejected`, and the cause is corrected': {
    outcome: 'rejected',
    prepare: ({ faults }) => faults.add({ kind: 'status', status: 422 }),
  },
  '`unknown`, and the report had arrived': {
    outcome: 'unknown',
    prepare: ({ faults }) => faults.add({ kind: 'connection-reset', when: 'after' }),
  },
  '`unknown`, and it had not arrived': {
    outcome: 'unknown',
    prepare: ({ faults }) => faults.add({ kind: 'connection-reset' }),
  },
};

async function afterFirst(operation: string, first: string) {
  const { prepare, cancelled, outcome } = FIRST_ENDS[first] ?? { outcome: 'not in this test' };
  const gateway = createMockGateway({ requireInitiated: false });
  const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
  prepare?.(gateway);
  const call = OPERATIONS[operation]?.same(client, cancelled && { signal: AbortSignal.abort() });
  const ended: unknown = await call?.catch((error: unknown) => error);
  expect(ended).toMatchObject({ outcome });
  return { client, ended };
}

const SAME = '`DuplicateReportError`, `conflict: false`';
const OTHER = '`DuplicateReportError`, `conflict: true`';
const RECORDED = '`recorded`';

/** The end of a second call after each end of the first: with the same bytes, with others, and by `resend`. */
const rows = [
  { first: 'a receipt', same: SAME, other: OTHER, resend: undefined },
  { first: '`not-sent`', same: RECORDED, other: RECORDED, resend: RECORDED },
  { first: '`rejected`, and the cause is corrected', same: RECORDED, other: RECORDED, resend: RECORDED },
  { first: '`unknown`, and the report had arrived', same: SAME, other: OTHER, resend: '`already-recorded`' },
  { first: '`unknown`, and it had not arrived', same: RECORDED, other: RECORDED, resend: RECORDED },
];

describe.each(Object.keys(OPERATIONS))('a second call of %s', (operation) => {
  test.each(rows)('after $first', async ({ first, same, other, resend }) => {
    const { same: repeat, other: change } = OPERATIONS[operation] ?? {};
    const again = await afterFirst(operation, first);
    expect(repeat && (await endOf(repeat(again.client)))).toBe(same);
    if (change) expect(await endOf(change((await afterFirst(operation, first)).client))).toBe(other);
    if (resend) {
      const { client, ended } = await afterFirst(operation, first);
      expect(await endOf(client.resend(ended))).toBe(resend);
    }
  });
});

test('an error without a complete report cannot be resent, as the guide says', async () => {
  const client = createClient(createMockGateway().clientOptions());
  const error: unknown = await client.reportBetEvent(betEvent({ bet_id: '' })).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'validation' });
  expect(await endOf(client.resend(error))).toBe('`ValidationError`');
});

describe('the procedure of the guide after a crash', () => {
  interface Guide {
    reportStored(report: () => Promise<Receipt>): Promise<Receipt | undefined>;
    afterCrash(
      stored: { reference: string; report(): Promise<Receipt> }[],
      save: (reference: string, receipt?: Receipt) => Promise<void>,
    ): Promise<{ reference: string; error: unknown }[]>;
  }
  let shown: Guide;
  beforeAll(async () => {
    const block = readFileSync(join(root, 'examples/after-crash.ts'), 'utf8');
    const { code } = await transform(block, { loader: 'ts', format: 'esm' });
    const folder = await mkdtemp(join(root, 'test/.docs-'));
    await writeFile(join(folder, 'after-crash.mjs'), code);
    shown = await import(join(folder, 'after-crash.mjs'));
    await rm(folder, { recursive: true });
  }, 30_000);

  test('resolves for a report that the gateway holds, and rejects for other data', async () => {
    const gateway = createMockGateway({ requireInitiated: false });
    const client = createClient(gateway.clientOptions());
    const again = () => shown.reportStored(() => client.reportSettledBet(settledBet()));
    expect(await again()).toMatchObject({ outcome: 'recorded' });
    expect(await again()).toBeUndefined();
    expect(gateway.reports()).toHaveLength(1);
    await expect(
      shown.reportStored(() => client.reportSettledBet(settledBet({ outcome: 'LOSS' }))),
    ).rejects.toMatchObject({ conflict: true });
  });

  test('reports 300 stored bets, of which the gateway holds some, and names those that are not recorded', async () => {
    const gateway = createMockGateway();
    const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
    const rows = Array.from({ length: 300 }, (_, index) => ({
      ...betEvent({ bet_id: `B-${index}`, timestamp }),
      location: LOCATION,
    }));
    for (const row of rows.slice(0, 100)) await client.reportBetEvent(row);
    await client.reportBetEvent(betEvent({ bet_id: 'B-100', timestamp }), { location: ELSEWHERE });
    gateway.faults.add({ kind: 'connection-reset', when: 'after', reference: 'B-200' });
    const stored = rows.map((row) => ({ reference: row.bet_id, report: () => client.reportBetEvent(row) }));
    const saved = new Map<string, Receipt | undefined>();
    const run = () => shown.afterCrash(stored, async (reference, receipt) => void saved.set(reference, receipt));
    const conflict = { reference: 'B-100', error: { code: 'duplicate', conflict: true, outcome: 'rejected' } };
    expect(await run()).toMatchObject([
      conflict,
      { reference: 'B-200', error: { code: 'network', outcome: 'unknown' } },
    ]);
    expect([saved.size, saved.get('B-0'), saved.get('B-299')]).toMatchObject([298, undefined, { reference: 'B-299' }]);
    expect(await run()).toMatchObject([conflict]);
    expect(saved.size).toBe(299);
    expect(gateway.reports()).toHaveLength(300);
  });
});
