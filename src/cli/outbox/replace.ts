import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { hasCode } from '../../core/errors/errors.js';
import { parseJson } from '../../core/web/read-json.js';
import { prepareReplacement } from '../../outbox/decisions/replacement.js';
import { decisionsFor } from '../../outbox/rules/decisions.js';
import type { Row } from '../../outbox/rules/state-machine.js';
import { codeOf, EXIT, Failure, remark, terminal } from '../output.js';
import { printDecided } from './decide.js';
import { parseLossOf } from './exact-json.js';
import { findReport } from './find.js';
import { needed, type OpenedOutbox, type OutboxValues, type RunCommand } from './options.js';
import { intakeOf, readOwner, settingsFor } from './own-outbox.js';
import { newDecision } from './person.js';
import { replaceFile } from './replace-file.js';

export const replace: RunCommand = async (opened, values, [name = '', path = '']) => {
  const { json } = values;
  if (values.from !== undefined) return replaceFile(opened, values, []);
  // A settlement that waits is replaced if its id or its operation is given.
  const fits = (one: Row) => !one.blocked && decisionsFor(one).replaced === undefined;
  const row = await findReport(opened, name, values, 'replace', fits);
  const why = decisionsFor(row).replaced;
  if (why !== undefined) return printDecided('replace', { id: row.id, why }, '', json) ? EXIT.done : EXIT.failed;
  const replacement = await freeze(opened, values, row, await readPayload(path));
  const request = { ...newDecision(needed(values, 'reason')), action: 'replaced' as const, replacement };
  let refused = 0;
  await opened.operator.decide({ ...request, selection: { ids: [row.id] } }, (results) => {
    for (const result of results) {
      const done = result.id === row.id ? 'has the corrected data, and waits to be sent' : 'is reopened';
      if (!printDecided('replace', result, done, json)) refused += 1;
    }
  });
  if (!json && refused === 0) remark('\nA running worker sends it; if none runs, start one.');
  return refused > 0 ? EXIT.failed : EXIT.done;
};

/** Checks, locates and seals the data as the operator's outbox does. */
async function freeze({ store }: OpenedOutbox, values: OutboxValues, row: Row, payload: unknown) {
  const { account, environment } = row;
  if (environment === 'relay') throw new Failure('a report of a page is replaced in its page. Nothing was changed');
  const settings = await settingsFor(store, await readOwner({ ...values, account, environment }), [row]);
  const intake = intakeOf(settings);
  try {
    return (await prepareReplacement(intake, settings.seal, row, payload, {})).replacement;
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
