import { isValidationError } from '../../errors/guards.js';
import { decideRow, refusal } from '../../outbox/operator/decide.js';
import { appendReceipts } from '../../outbox/receipts/log.js';
import type { Decision } from '../../outbox/state-machine.js';
import type { OutboxStore, RowQuery } from '../../outbox/store.js';
import { EXIT, Failure, printable, remark, say } from '../output.js';
import { findReport } from './find.js';
import type { OutboxValues } from './options.js';
import type { View } from './printable.js';
import { startProgress } from './progress.js';

const PAGE = 500;

/** Lets reports be sent again. */
export async function retry(view: View, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { reason = '', json } = values;
  return decideAll(view, idsOf(view, values, names), { action: 'retry', reason, at: view.now }, { json, keepBody: true });
}

/** A person's verdict. */
export async function resolve(view: View, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { as: action, reason, json, 'keep-body': keepBody, all, code } = values;
  if (action === undefined) throw new Failure('resolve needs --as recorded (the gateway holds it) or --as dismissed (never send it)');
  if (reason === undefined || !reason.trim()) throw new Failure('resolve needs --reason "…": it is kept with the report and in the log of receipts');
  // A verdict is final: it is not passed on reports of all kinds at once.
  if (all && code === undefined) throw new Failure('resolve --all needs --code: the problem that all of them have, as list prints it');
  return decideAll(view, idsOf(view, values, names), { action, reason, at: view.now }, { json, keepBody: keepBody === true });
}

function idsOf(view: View, { all, code, account, environment, operation }: OutboxValues, names: readonly string[]): AsyncGenerator<string> {
  if (all) return quarantined(view, { code, account, environment, operation });
  if ((code ?? environment ?? operation) !== undefined) throw new Failure('--code, --environment and --operation go with --all only');
  return namedIds(view, names, account);
}

async function* namedIds(view: View, names: readonly string[], account: string | undefined): AsyncGenerator<string> {
  // All are looked up before the first is changed: a name that is wrong changes nothing.
  const rows = [];
  for (const name of names) rows.push(await findReport(view, name, account));
  for (const { id } of rows) yield id;
}

async function* quarantined(
  { store }: View,
  { code, ...query }: Partial<Pick<RowQuery, 'account' | 'environment' | 'operation'> & { code: OutboxValues['code'] | undefined }>,
): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await store.list({ ...query, state: 'quarantined', after, limit: PAGE });
    for (const { id, problem } of rows) if (code === undefined || code === (problem?.conflict ? 'conflict' : problem?.code)) yield id;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.sequence;
  }
}

const DONE: Readonly<Record<Decision['action'], string>> = {
  retry: 'waits to be sent again',
  recorded: 'is resolved as recorded',
  dismissed: 'is dismissed',
};

/** A blocked report is not sent before the one that it waits for, whatever is decided of it. */
async function refuseBlocked(store: OutboxStore, id: string): Promise<void> {
  const [row] = await store.get([id]);
  if (row?.blocked) throw refusal('retry', `${id} is blocked: it is sent once ${row.waitsFor} is recorded or dismissed; decide on that one`);
}

async function decideAll(
  { store }: View,
  ids: AsyncIterable<string>,
  decision: Decision,
  { json, keepBody }: { json: boolean | undefined; keepBody: boolean },
): Promise<number> {
  const progress = startProgress('Decided');
  let [done, refused] = [0, 0];
  for await (const id of ids) {
    try {
      if (decision.action === 'retry') await refuseBlocked(store, id);
      const { state } = await decideRow(store, id, undefined, decision, keepBody);
      done += 1;
      if (json) say(JSON.stringify({ id, done: true, state }));
      else say(`${printable(id)} ${DONE[decision.action]}`);
    } catch (error) {
      if (!isValidationError(error)) throw error;
      refused += 1;
      if (json) say(JSON.stringify({ id, done: false, message: error.message }));
      else remark(`location-sdk: ${printable(error.message)}`);
    }
    progress.count(done + refused);
  }
  progress.end();
  if (decision.action !== 'retry' && done > 0) await appendReceipts(store);
  if (!json && done + refused === 0) remark('No such report is quarantined.');
  else if (!json && decision.action === 'retry' && done > 0) remark('\nA running worker sends them; if none runs, start your application.');
  return refused > 0 ? EXIT.failed : EXIT.done;
}
