import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { hasCode } from '../../../core/errors/errors.js';
import type { Refused } from '../../../core/platform/refused.js';
import { parseJson } from '../../../core/web/read-json.js';
import type { DecidedReport } from '../../../outbox/decisions/decide-rows.js';
import { planCorrection } from '../../../outbox/decisions/replacement.js';
import { decisionsFor, isChange } from '../../../outbox/rules/decisions.js';
import type { Change, Row } from '../../../outbox/rules/state-machine.js';
import { codeOf, EXIT, Failure, remark, terminal } from '../../output.js';
import { parseLossOf } from '../exact-json.js';
import { findReport } from '../find.js';
import { needed, type OpenedOutbox, type OutboxValues, type RunCommand } from '../options.js';
import { intakeOf, readOwner, settingsFor } from '../own-outbox.js';
import { newDecision } from '../person.js';
import { printDecided } from '../print-decided.js';
import { replaceFile } from './file.js';

export const replace: RunCommand = async (opened, values, [name = '', path = '']) => {
  const { json } = values;
  if (values.from !== undefined) return replaceFile(opened, values, []);
  // A settlement that waits is replaced if its id or its operation is given.
  const fits = (one: Row) => !one.blocked && decisionsFor(one).replaced === undefined;
  const row = await findReport(opened, name, values, 'replace', fits);
  let refused = 0;
  const print = (result: DecidedReport) => {
    const done = result.id === row.id ? 'has the corrected data, and waits to be sent' : 'is reopened';
    if (!printDecided('replace', result, done, json)) refused += 1;
  };
  const change = await plan(opened, values, row, path);
  if (isChange(change)) {
    const request = { action: 'replaced', selection: { ids: [row.id] }, replacement: change.replacement } as const;
    const reason = needed(values, 'reason');
    await opened.operator.decide({ ...newDecision(reason), ...request }, (results) => results.forEach(print));
  } else print({ id: row.id, ...change });
  if (!json && refused === 0) remark('\nA running worker sends it; if none runs, start one.');
  return refused > 0 ? EXIT.failed : EXIT.done;
};

/** Checks, locates and seals the data as the operator's outbox does. */
async function plan({ store }: OpenedOutbox, values: OutboxValues, row: Row, path: string): Promise<Change | Refused> {
  const { account, environment } = row;
  const why = decisionsFor(row).replaced;
  if (why !== undefined) return { why };
  const payload = await readPayload(path);
  if (environment === 'relay') throw new Failure('a report of a page is replaced in its page. Nothing was changed');
  const settings = await settingsFor(store, await readOwner({ ...values, account, environment }), [row]);
  const corrector = { intake: intakeOf(settings), seal: settings.seal };
  try {
    return (await planCorrection(corrector, row, payload, { action: 'replaced', reason: '', at: 0 })).change;
  } catch (error) {
    if (error instanceof Error && (hasCode(error, 'validation') || hasCode(error, 'location')))
      throw new Failure(`the corrected data cannot be reported: ${error.message}`, EXIT.failed);
    throw error;
  }
}

/** Reads JSON exactly as it is written: the data is sent under a person's name. */
async function readPayload(path: string): Promise<unknown> {
  const bytes = await readBytes(path);
  const refuse = (why: string) => new Failure(`${path === '-' ? 'standard input' : path} ${why}. Nothing was changed`);
  if (!isUtf8(bytes)) throw refuse('is not UTF-8 text: save it in UTF-8');
  const text = bytes.toString('utf8').replace(BYTE_ORDER_MARK, '');
  const payload = parseJson(text);
  // The message of the parser would show a part of the text.
  if (payload === undefined) throw refuse('is not JSON');
  const lost = parseLossOf(text);
  if (lost !== undefined) throw refuse(lost);
  return payload;
}

const BYTE_ORDER_MARK = /^\ufeff/;

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await (path === '-' ? buffer(terminal().stdin) : readFile(path));
  } catch (error) {
    throw new Failure(`${path} cannot be read (${codeOf(error)}). Nothing was changed`);
  }
}
