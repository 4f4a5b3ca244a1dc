import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { createClient, DuplicateReportError } from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox, type OutboxStore, verifyReceipts } from '../../../../src/entries/outbox.js';
import { collect } from '../../collect.js';
import { bet, ENCRYPTION, LOCATION, settlement, withdrawal } from './sample.js';

/** The versions of the tables of which there are samples. */
export const versionsOf = (store: 'sqlite' | 'postgres'): string[] =>
  readdirSync(import.meta.dirname).flatMap((name) => new RegExp(`^${store}-(\\d+)\\.gz$`).exec(name)?.[1] ?? []);

/** The content of a store as a build with these tables left it. */
export function readSample(store: 'sqlite' | 'postgres', version: string) {
  const file = join(import.meta.dirname, `${store}-${version}`);
  return { content: gunzipSync(readFileSync(`${file}.gz`)), receipts: readFileSync(`${file}.receipts.jsonl`, 'utf8') };
}

const options = { location: LOCATION };
const id = (operation: string, reference: string, account = 'default') =>
  `${account}:staging:${operation}:${reference}`;

/** Lists, enqueues, decides, sends and proves over the store of a sample. */
export async function worksOn(store: OutboxStore, receiptsBefore: string): Promise<void> {
  const [gateway, gatewayB] = [createMockGateway(), createMockGateway()];
  const accounts = { default: createClient(gateway.clientOptions()), brandB: createClient(gatewayB.clientOptions()) };
  const all = createOutbox({ accounts, store, encryption: ENCRYPTION, retry: { baseMs: 1 } });
  const [outbox, sealed] = [all.for('default'), all.for('brandB')];
  const stateOf = async () =>
    Object.fromEntries(
      [...(await outbox.list()), ...(await sealed.list())].map((row) => [row.id, row.blocked ? 'blocked' : row.state]),
    );

  expect(await stateOf()).toEqual({
    [id('reportBetEvent', 'B-recorded')]: 'recorded',
    [id('reportWithdrawalEvent', 'W-recorded')]: 'recorded',
    [id('reportBetEvent', 'B-refused')]: 'quarantined',
    [id('reportBetEvent', 'B-dismissed')]: 'dismissed',
    [id('reportBetEvent', 'B-waiting')]: 'waiting',
    [id('reportSettledBet', 'B-waiting')]: 'blocked',
    [id('reportBetEvent', 'B-sealed', 'brandB')]: 'waiting',
    [id('reportWithdrawalEvent', 'W-sealed', 'brandB')]: 'waiting',
  });
  expect(await outbox.get(id('reportBetEvent', 'B-waiting'))).toMatchObject({ inDoubt: true, attempts: 1 });
  expect(await outbox.get(id('reportBetEvent', 'B-refused'))).toMatchObject({
    problem: { code: 'unprocessable', message: expect.stringContaining('unknown resident_lga') },
  });
  expect((await all.stats()).paused).toMatchObject([{ account: 'brandB', reason: 'authentication' }]);

  // The same report and other data under its reference are told apart.
  expect(await outbox.reportBetEvent(bet('B-recorded'), options)).toMatchObject({ state: 'recorded' });
  await expect(outbox.reportBetEvent({ ...bet('B-recorded'), amount: 1 }, options)).rejects.toThrow(
    DuplicateReportError,
  );

  // The locations come from the withdrawals that the sample holds, sealed with the store's key and with the given one.
  const settled = (request: string) => ({ ...withdrawal(request), status: 'SUCCESSFUL', timestamp: new Date() });
  await outbox.reportSettledWithdrawal(settled('W-recorded'));
  await sealed.reportSettledWithdrawal(settled('W-sealed'));
  await outbox.reportBetEvent(bet('B-new'), options);

  await outbox.replace(
    id('reportBetEvent', 'B-refused'),
    { ...bet('B-refused'), amount: 1600, timestamp: new Date() },
    { reason: 'corrected' },
  );
  await outbox.reopen(id('reportBetEvent', 'B-dismissed'), { reason: 'it was real' });
  await outbox.retry(id('reportBetEvent', 'B-dismissed'));
  await outbox.retry(id('reportBetEvent', 'B-waiting'));
  await sealed.resume('staging');
  // This gateway has none of the reports that the sample's gateway recorded.
  await accounts.default.reportWithdrawalEvent(withdrawal('W-recorded'), options);
  expect(await all.drain({ timeoutMs: 50_000 })).toMatchObject({ drained: true, states: { recorded: 11, waiting: 0 } });

  expect(new Set(Object.values(await stateOf()))).toEqual(new Set(['recorded']));
  const bodies = [...gateway.reports(), ...gatewayB.reports()].map(({ operation, reference, body }) => [
    `${operation} ${reference}`,
    body,
  ]);
  expect(Object.fromEntries(bodies)).toMatchObject({
    'reportBetEvent B-waiting': { ...bet('B-waiting'), location: LOCATION },
    'reportSettledBet B-waiting': settlement('B-waiting'),
    'reportBetEvent B-refused': { amount: 1600, location: LOCATION },
    'reportBetEvent B-dismissed': bet('B-dismissed'),
    'reportBetEvent B-sealed': { ...bet('B-sealed'), location: LOCATION },
    'reportWithdrawalEvent W-sealed': { location: LOCATION },
    'reportSettledWithdrawal W-sealed': { location: LOCATION },
    'reportSettledWithdrawal W-recorded': { location: LOCATION },
  });

  // The log goes on behind the lines that the sample holds.
  const log = (await collect(outbox.exportReceipts())).join('');
  expect(log.slice(0, receiptsBefore.length)).toBe(receiptsBefore);
  const lines = receiptsBefore.trimEnd().split('\n');
  const { hash } = JSON.parse(lines.at(-1) ?? '') as { hash: string };
  expect(await verifyReceipts(log, { head: hash })).toMatchObject({ valid: true, afterHead: 9 });
  await all.stop();
}
