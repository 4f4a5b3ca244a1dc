import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient, isDuplicateReportError, isReportingError, type Receipt } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { expectFreshBuild } from '../support/built.js';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../support/factories.js';
import { root } from '../support/run.js';

test('the guide resends until it is certain, beyond the retries of one call', { timeout: 30_000 }, async () => {
  expectFreshBuild();
  const shown = codeBlocks(readGuides('how-to/never-lose-or-double')).find(({ code }) => code.includes('untilCertain'))?.code ?? '';
  const folder = await mkdtemp(join(root, 'test/.docs-'));
  try {
    const file = join(folder, 'until-certain.mjs');
    await writeFile(file, (await transform(shown, { loader: 'ts', format: 'esm' })).code);
    const { untilCertain } = await import(file);
    const gateway = createMockGateway({ validation: 'partial' });
    const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
    gateway.faults.add({ kind: 'connection-reset', when: 'after', times: 4 });
    const receipt = await untilCertain(client, client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' } }), 1);
    expect(receipt).toMatchObject({ outcome: 'already-recorded', reference: 'B-1' });
    expect([gateway.requests().length, gateway.reports().length]).toEqual([5, 1]);
    await expect(untilCertain(client, client.reportBetEvent({ bet_id: '', user: { user_id: 'U-1' } }), 1)).rejects.toMatchObject({ code: 'validation' });
  } finally {
    await rm(folder, { recursive: true });
  }
});

const guide = readGuides('how-to/never-lose-or-double');
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
    same: (client, options) => client.reportWithdrawalEvent(withdrawalEvent({ timestamp }), { location: LOCATION, ...options }),
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
      if (isDuplicateReportError(error)) return `\`DuplicateReportError\`, \`conflict: ${error.conflict}\``;
      return isReportingError(error) ? `\`${error.name}\`` : String(error);
    },
  );

type Gateway = ReturnType<typeof createMockGateway>;

/** How the first call comes to each of the ends in the table. */
const FIRST_ENDS: Readonly<Record<string, { outcome: string; prepare?: (gateway: Gateway) => void; cancelled?: true }>> = {
  'a receipt': { outcome: 'recorded' },
  '`not-sent`': { outcome: 'not-sent', cancelled: true },
  '`rejected`, and the cause is corrected': { outcome: 'rejected', prepare: ({ faults }) => faults.add({ kind: 'status', status: 422 }) },
  '`unknown`, and the report had arrived': { outcome: 'unknown', prepare: ({ faults }) => faults.add({ kind: 'connection-reset', when: 'after' }) },
  '`unknown`, and it had not arrived': { outcome: 'unknown', prepare: ({ faults }) => faults.add({ kind: 'connection-reset' }) },
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

const rows = [...guide.matchAll(/^\| (a receipt|`(?:not-sent|rejected|unknown)`[^|]*) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, first = '', same = '', other = '', resend = '']) => ({ first, same, other, resend }),
);

test('the table of second calls has every end of the first one', () => {
  expect(rows.map(({ first }) => first)).toEqual(Object.keys(FIRST_ENDS));
});

describe.each(Object.keys(OPERATIONS))('a second call of %s', (operation) => {
  test.each(rows)('after $first returns what the guide says', async ({ first, same, other, resend }) => {
    const { same: repeat, other: change } = OPERATIONS[operation] ?? {};
    const again = await afterFirst(operation, first);
    expect(repeat && (await endOf(repeat(again.client)))).toBe(same);
    if (change) expect(await endOf(change((await afterFirst(operation, first)).client))).toBe(other);
    if (resend !== 'there is no error') {
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

describe('the function of the guide for stored payloads', () => {
  let reportStored: (report: () => Promise<Receipt>) => Promise<void>;
  beforeAll(async () => {
    const shown = codeBlocks(guide).find(({ code }) => code.includes('function reportStored'))?.code ?? '';
    const { code } = await transform(shown, { loader: 'ts', format: 'esm' });
    const folder = await mkdtemp(join(root, 'test/.docs-'));
    await writeFile(join(folder, 'report-stored.mjs'), code);
    ({ reportStored } = await import(join(folder, 'report-stored.mjs')));
    await rm(folder, { recursive: true });
  }, 30_000);

  test('resolves for a report that the gateway holds, and rejects for other data', async () => {
    const gateway = createMockGateway({ requireInitiated: false });
    const client = createClient(gateway.clientOptions());
    for (const _ of [1, 2]) await reportStored(() => client.reportSettledBet(settledBet()));
    expect(gateway.reports()).toHaveLength(1);
    await expect(reportStored(() => client.reportSettledBet(settledBet({ outcome: 'LOSS' })))).rejects.toMatchObject({ conflict: true });
  });
});
