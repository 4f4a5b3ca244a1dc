import { isValidationError } from '../../errors/guards.js';
import { decideRow, refusal } from '../../outbox/operator/decide.js';
import { dismissHoldingSettlement, openSettlementOf } from '../../outbox/operator/settlement.js';
import { appendReceipts } from '../../outbox/receipts/log.js';
import { type Decision, decided, type Row } from '../../outbox/state-machine.js';
import { EXIT, Failure, printable, remark, say } from '../output.js';
import { findReport } from './find.js';
import type { OutboxValues } from './options.js';
import { quoted, type View } from './printable.js';
import { startProgress } from './progress.js';
import { scan } from './scan.js';
import { whoTypes } from './who.js';

/** Sends quarantined reports again, or waiting reports now. */
export async function retry(view: View, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { reason = '', json } = values;
  const decision: Decision = { action: 'retry', reason, at: view.now, by: whoTypes() };
  return decideAll(view, idsOf(view, values, names, 'retry', decision), decision, { json, keepBody: true, withSettlement: false });
}

/** Records a person's verdict on reports. */
export async function resolve(view: View, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { as: action, reason, json, 'keep-body': keepBody, all, code, 'with-settlement': withSettlement } = values;
  if (action === undefined) throw new Failure('resolve needs --as recorded (the gateway has it) or --as dismissed (never send it)');
  if (reason === undefined || !reason.trim()) throw new Failure('resolve needs --reason "…": it is kept with the report and in the log of receipts');
  if (withSettlement && action !== 'dismissed') throw new Failure('--with-settlement goes with --as dismissed');
  // A verdict is final, so one verdict is not for reports with different problems.
  if (all && code === undefined) throw new Failure('resolve --all needs --code: the problem of these reports, as list prints it');
  const decision: Decision = { action, reason, at: view.now, by: whoTypes() };
  const settings = { json, keepBody: keepBody === true, withSettlement: withSettlement === true };
  return decideAll(view, idsOf(view, values, names, 'resolve', decision), decision, settings);
}

function idsOf(view: View, values: OutboxValues, names: readonly string[], verb: string, decision: Decision): AsyncGenerator<string> {
  if (values.all) return quarantined(view, values);
  if (values.code !== undefined) throw new Failure('--code goes with --all only');
  return namedIds(view, names, values, verb, (row) => !isBlockedRetry(row, decision) && typeof decided(row, decision, true) !== 'string');
}

async function* namedIds(
  view: View,
  names: readonly string[],
  { account, environment, operation }: OutboxValues,
  verb: string,
  fits: (row: Row) => boolean,
): AsyncGenerator<string> {
  // All reports are found before the first one is changed, so a wrong name changes nothing.
  const ids = new Set<string>();
  for (const name of names) ids.add((await findReport(view, name, { account, environment, operation }, verb, fits)).id);
  yield* ids;
}

async function* quarantined({ store }: View, { code, account, environment, operation }: OutboxValues): AsyncGenerator<string> {
  for await (const { id, problem } of scan(store, { account, environment, operation, state: 'quarantined' }))
    if (code === undefined || code === (problem?.conflict ? 'conflict' : problem?.code)) yield id;
}

const DONE: Readonly<Record<Decision['action'], string>> = {
  retry: 'waits to be sent again',
  recorded: 'is resolved as recorded',
  dismissed: 'is dismissed',
};

/** No decision sends a blocked report before the report that it waits for. */
const isBlockedRetry = ({ blocked }: Row, { action }: Decision): boolean => blocked && action === 'retry';

interface Settings {
  readonly json: boolean | undefined;
  readonly keepBody: boolean;
  readonly withSettlement: boolean;
}

/** Describes what happens to the settlement of a dismissed report. */
function fateOf({ id, state }: Row, command: string): string {
  const dismiss = `${command} resolve ${quoted(id)} --as dismissed --reason "…"`;
  if (state === 'quarantined') return `  Its settlement ${printable(id)} is quarantined, too. To dismiss it: ${dismiss}`;
  return `  Its settlement ${printable(id)} is no longer blocked: a worker sends it now.\n  A gateway that does not have the initiated report answers 404, and the settlement is quarantined.\n  To dismiss it then: ${dismiss}`;
}

async function decideAll({ store, command }: View, ids: AsyncIterable<string>, decision: Decision, settings: Settings): Promise<number> {
  const { json, keepBody, withSettlement } = settings;
  const { action } = decision;
  const progress = startProgress('Decided');
  let [done, refused] = [0, 0];

  async function decideOne(id: string): Promise<Row> {
    const [row] = await store.get([id]);
    if (row && isBlockedRetry(row, decision))
      throw refusal('retry', `${id} is blocked: it is sent once ${row.waitsFor} is recorded or dismissed; decide about that report`);
    return row && withSettlement ? dismissHoldingSettlement(store, row, decision, keepBody) : decideRow(store, id, undefined, decision, keepBody);
  }

  /** Decides about one report and prints the result. Returns the open settlement of a dismissed report. */
  async function decideAndTell(id: string): Promise<Row | undefined> {
    try {
      const row = await decideOne(id);
      const settlement = action === 'dismissed' ? await openSettlementOf(store, row) : undefined;
      done += 1;
      if (json) say(JSON.stringify({ id, done: true, state: row.state, ...(settlement && !withSettlement && { settlement: settlement.id }) }));
      else say(`${printable(id)} ${DONE[action]}`);
      if (settlement && !withSettlement && !json) remark(fateOf(settlement, command));
      return settlement;
    } catch (error) {
      if (!isValidationError(error)) throw error;
      refused += 1;
      if (json) say(JSON.stringify({ id, done: false, message: error.message }));
      else remark(`location-sdk: ${printable(error.message)}`);
      return undefined;
    }
  }

  /** Settlements that are decided already. `ids` may contain them, too. */
  const settlements = new Set<string>();
  for await (const id of ids) {
    if (settlements.has(id)) continue;
    const settlement = await decideAndTell(id);
    if (settlement && withSettlement) {
      settlements.add(settlement.id);
      await decideAndTell(settlement.id);
    }
    progress.count(done + refused);
  }
  progress.end();
  if (action !== 'retry' && done > 0) await appendReceipts(store);
  if (!json && done + refused === 0) remark('No such report is quarantined.');
  else if (!json && action === 'retry' && done > 0) remark('\nA running worker sends them; if none runs, start your application.');
  return refused > 0 ? EXIT.failed : EXIT.done;
}
