import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { readArgs } from '../../../src/cli/args.js';
import { OUTBOX_OPTIONS } from '../../../src/cli/outbox/options.js';
import { replaceFile } from '../../../src/cli/outbox/replace/file.js';
import { withTerminal } from '../../../src/cli/output.js';
import { createOperator } from '../../../src/operator/operator.js';
import type { DecisionStep, OperatorStore } from '../../../src/outbox/store/operator-store.js';
import type { OutboxStore } from '../../../src/outbox/store/store.js';
import { personalBet } from '../../outbox/personal.js';
import { newFile, openStore } from '../../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../../outbox/world.js';
import { newFolder } from '../../support/new-folder.js';

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.unstubAllEnvs());

const GATEWAY = 'https://gateway.example.com';
const MANY = 250;

/** Bets that were never sent, a file that corrects them, and the command with what happens before a step of its decision. */
async function begin() {
  vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', GATEWAY);
  const store = await openStore(newFile());
  const operator = store.operator as OperatorStore;
  const client = { gateways: { staging: { baseUrl: GATEWAY, apiKey: 'mock-api-key' } } };
  const { outbox } = outboxWorld({ store, client });
  const bets = Array.from({ length: MANY }, (_, index) => ({
    ...personalBet(`T-${index}`),
    timestamp: '1795161600',
  }));
  await outbox.reportAll(bets.map((payload) => ({ operation: 'reportBetEvent', payload })));
  const from = join(newFolder('replace-together'), 'corrected.ndjson');
  writeFileSync(
    from,
    bets.map((bet) => `${JSON.stringify({ operation: 'reportBetEvent', ...bet, amount: 7 })}\n`).join(''),
  );
  const kept = () => operator.decisions(undefined, 10);

  async function replace(reason: string, hooks: Partial<OperatorStore> = {}, reads: Partial<OutboxStore> = {}) {
    const over: OutboxStore = { ...store, ...reads, operator: { ...operator, ...hooks } };
    const opened = { store: over, operator: createOperator({ over }), command: '', now: 0 };
    const words = ['--from', from, '--environment', 'staging', '--reason', reason];
    const terminal = { stdin: Readable.from(['']), stdout: new PassThrough(), stderr: new PassThrough() };
    return withTerminal(terminal, () => replaceFile(opened, readArgs(OUTBOX_OPTIONS, words), []));
  }

  async function expectReplacedOnce() {
    const rows = await store.list({ operation: 'reportBetEvent', limit: 1_000 });
    expect(rows.filter(({ decisions }) => decisions.length === 1)).toHaveLength(MANY);
  }
  return { store, operator, kept, replace, expectReplacedOnce };
}

it('leaves out no page where another process makes a commit of other lines in its place', async () => {
  const { operator, kept, replace, expectReplacedOnce } = await begin();
  let steps = 0;
  /** The other process is at a page whose reports have their new data already. */
  async function step(given: DecisionStep) {
    steps += 1;
    const { id, from } = given;
    if (steps % 2 === 1) await operator.step({ id, from, to: from + 100, done: false, skipped: 0, writes: [] });
    return operator.step(given);
  }
  expect(await replace('the amount was in kobo', { step })).toBe(0);
  expect(steps).toBeGreaterThan(3);
  await expectReplacedOnce();
  expect(await kept()).toMatchObject([{ done: true, touched: MANY }]);
});

it('goes on with the decision of another person, who began it during the check', async () => {
  const { operator, kept, replace, expectReplacedOnce } = await begin();
  let first: Promise<number> | undefined;
  const signals = new EventEmitter();
  async function step(given: DecisionStep) {
    signals.emit('begun');
    await once(signals, 'go on');
    return operator.step(given);
  }
  async function decision(id: string) {
    const found = await operator.decision(id);
    if (!first) {
      first = replace('of the first person', { step });
      await once(signals, 'begun');
    }
    return found;
  }
  expect(await replace('of the second person', { decision })).toBe(0);
  signals.emit('go on');
  expect(await first).toBe(0);
  await expectReplacedOnce();
  expect(await kept()).toMatchObject([{ reason: 'of the first person', done: true, touched: MANY }]);
});

it('takes what the run of another person left out, whose end was the end of their decision', async () => {
  const { store, operator, kept, replace, expectReplacedOnce } = await begin();
  const signals = new EventEmitter();
  const last = (await store.list({ operation: 'reportBetEvent', limit: 1_000 })).at(-1);
  /** For the first person a report is in doubt. */
  const get = async (ids: readonly string[]) =>
    (await store.get(ids)).map((row) => (row && row.id === last?.id ? { ...row, inDoubt: true } : row));
  let isFirst = true;
  async function stepOfFirst(given: DecisionStep) {
    if (isFirst) {
      isFirst = false;
      signals.emit('begun');
      await once(signals, 'go on');
    }
    return operator.step(given);
  }
  const first = replace('of the first person', { step: stepOfFirst }, { get });
  await once(signals, 'begun');
  let code: number | undefined;
  async function step(given: DecisionStep) {
    if (code === undefined) {
      signals.emit('go on');
      code = await first;
    }
    return operator.step(given);
  }
  expect(await replace('of the second person', { step })).toBe(0);
  expect(code).toBe(1);
  await expectReplacedOnce();
  expect((await kept()).map(({ touched, done }) => [touched, done])).toEqual([
    [1, true],
    [MANY - 1, true],
  ]);
});
