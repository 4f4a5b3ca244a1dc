import { createReadStream } from 'node:fs';
import { hasCode } from '../../core/errors/errors.js';
import { shownName } from '../../core/platform/messages.js';
import { LongLineError, splitLines } from '../../outbox/receipts/log.js';
import { type Reconciled, reconcile } from '../../outbox/receipts/reconcile.js';
import { DEFAULT_ACCOUNT } from '../../outbox/rules/destination.js';
import { codeOf, EXIT, Failure, remark, sayAll, terminal } from '../output.js';
import type { OpenedOutbox } from './opened-outbox.js';
import { needed, type OutboxValues } from './options.js';
import { grouped, time } from './text.js';

/** Fails if one of the list is not recorded. */
export async function reconcileList(
  { store }: OpenedOutbox,
  values: OutboxValues,
  [list = '']: readonly string[],
): Promise<number> {
  const { account = DEFAULT_ACCOUNT, json } = values;
  const defaults = { operation: needed(values, 'operation'), environment: needed(values, 'environment') };
  const isComplete = values['last-line-complete'] === true;
  let [total, recorded, unknown] = [0, 0, 0];

  async function* texts(): AsyncGenerator<string> {
    for await (const one of reconcile(store, account, referencesOf(list, isComplete), defaults)) {
      total += 1;
      if (one.state === 'recorded') recorded += 1;
      if (one.state === 'never-seen') unknown += 1;
      if (json) yield `${JSON.stringify(one)}\n`;
      else if (one.state !== 'recorded') yield lineOf(one);
    }
  }

  try {
    await sayAll(texts());
  } catch (error) {
    if (error instanceof LongLineError || hasCode(error, 'validation'))
      throw new Failure(`${list} is not a list with one reference per line`);
    throw error;
  }
  if (total === 0) throw new Failure(`${list} names no report: its export may have failed`);
  if (!json) remark(`${grouped(recorded)} of ${grouped(total)} are recorded.`);
  const prunedBefore = unknown > 0 ? await store.prunedBefore?.(account) : undefined;
  if (prunedBefore !== undefined)
    remark(
      `Reports that ended before ${time(prunedBefore)} were pruned and count as never-seen: look for them in the exported log of receipts.`,
    );
  return recorded === total ? EXIT.done : EXIT.failed;
}

const lineOf = ({ reference, state, problem }: Reconciled) =>
  `${state.padEnd(12)}${(problem?.code ?? '-').padEnd(16)}${shownName(reference)}\n`;

/** A last reference without a line break may be cut off, and then names another report. */
async function* referencesOf(list: string, isComplete: boolean): AsyncGenerator<string> {
  let isOver = false;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield* list === '-' ? terminal().stdin : createReadStream(list);
    isOver = true;
  }
  try {
    for await (const line of splitLines(pieces())) {
      if (isOver && !isComplete)
        throw new Failure(
          `the last line of ${list} does not end with a line break, so the list may be cut off; if it is complete, add --last-line-complete`,
        );
      const reference = line.replace(/\r$/, '');
      if (reference !== '') yield reference;
    }
  } catch (error) {
    if (error instanceof LongLineError || error instanceof Failure) throw error;
    throw new Failure(`${list} cannot be read (${codeOf(error)})`);
  }
}
