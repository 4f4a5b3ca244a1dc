import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { hasCode } from '../../core/errors/errors.js';
import { ListError } from '../../core/platform/csv.js';
import { shownName } from '../../core/platform/messages.js';
import { createComparison, dayOf, ELSEWHERE, isDeclared, proofCsv } from '../../core/platform/proof.js';
import { createListReader } from '../../core/platform/reference-list.js';
import { DAY_MS } from '../../core/platform/time.js';
import { type Operation, operations } from '../../core/protocol/operations.js';
import { appendReceipts, readHead } from '../../outbox/receipts/log.js';
import { type Reconciled, type ReportReference, reconcile } from '../../outbox/receipts/reconcile.js';
import { DEFAULT_ACCOUNT, type Destination } from '../../outbox/rules/destination.js';
import { codeOf, EXIT, Failure, remark, sayAll, terminal } from '../output.js';
import { createReferences } from './import/check.js';
import { needed, type OutboxValues, type RunCommand } from './options.js';
import { time } from './text.js';

export const reconcileList: RunCommand = async ({ store, now }, values, [path = '']) => {
  const { account = DEFAULT_ACCOUNT, json, csv, operation } = values;
  const environment = needed(values, 'environment');
  const list = openList(path, values, { account, environment });
  const { unread } = list;
  const comparison = createComparison(dayNamed(values.day, now), createReferences());
  const { counts } = comparison;
  const proven: Reconciled[] = [];
  // Then every report that is final has its number.
  if (csv) await appendReceipts(store);

  async function* texts(): AsyncGenerator<string> {
    for await (const one of reconcile(store, account, list.references(), { operation, environment })) {
      if (!comparison.add(one)) continue;
      if (csv) proven.push(one);
      else if (json) yield `${JSON.stringify(one)}\n`;
      else if (one.state !== 'recorded' || isDeclared(one)) yield lineOf(one);
    }
  }

  try {
    await sayAll(texts(), { toEnd: true });
  } catch (error) {
    if (hasCode(error, 'validation')) throw new Failure(`${path}: ${error.message}`);
    throw error;
  }
  if (counts.total + counts.otherDays === 0) throw new Failure(namesNone(path, unread));
  if (counts.total === 0) throw new Failure(`no report of ${path} is of the day ${values.day}`);
  const elsewhere = list.elsewhere();
  const facts = comparison.facts({ at: now, list: list.sha256(), account, head: await readHead(store), elsewhere });
  const left: typeof facts = unread.length > 0 ? [['lines not read', numbers(unread)]] : [];
  if (csv) await sayAll([proofCsv([...facts, ...left], proven)], { exact: true });
  if (!json) remark(facts.map(([name, words]) => `${name}: ${words}`).join('\n'));
  else if (elsewhere > 0) remark(`${ELSEWHERE}: ${elsewhere}`);
  const prunedBefore = counts.unknown > 0 ? await store.prunedBefore?.(account) : undefined;
  if (prunedBefore !== undefined)
    remark(
      `Reports that ended before ${time(prunedBefore)} were pruned and count as never-seen: look for them in the exported log of receipts.`,
    );
  if (unread.length > 0) remark(unreadNote(path, unread));
  return counts.recorded === counts.total && unread.length === 0 ? EXIT.done : EXIT.failed;
};

const MOST_NAMED = 1_000;

const numbers = (lines: readonly number[]): string =>
  `${lines.slice(0, MOST_NAMED).join(', ')}${lines.length > MOST_NAMED ? `, and ${lines.length - MOST_NAMED} more` : ''}`;

export const namesNone = (path: string, unread: readonly number[]): string =>
  unread.length > 0
    ? `${path} names no report that can be read; lines that are not complete JSON, or have no reference: ${numbers(unread)}`
    : `${path} names no report: its export may have failed`;

export const unreadNote = (path: string, unread: readonly number[]): string =>
  `\nLines not read, because they have no reference, or are not complete JSON, as after a crash: ${unread.length}, with the numbers ${numbers(unread)}. Each line of a log may hold two receipts: open ${path}, and look for their references with show.`;

function refuseOpenEnd(path: string): never {
  throw new Failure(
    `the last line of ${path} does not end with a line break, so the list may be cut off; if it is complete, add --last-line-complete`,
  );
}

const dayNamed = (day: string | undefined, now: number): string | undefined =>
  day === 'today' ? dayOf(now) : day === 'yesterday' ? dayOf(now - DAY_MS) : day;

export const withSettlement = (operation: string): string[] => [
  operation,
  ...Object.values<Operation>(operations).flatMap(({ name, after }) => (after === operation ? name : [])),
];

const lineOf = ({ reference, operation, state, outcome, problem }: Reconciled) =>
  `${state.padEnd(12)}${(problem?.code ?? outcome ?? '-').padEnd(18)}${operation.padEnd(24)}${shownName(reference)}\n`;

/** The reports of a list in their order. At the end, its hash and what was not read. */
export function openList(
  path: string,
  { 'last-line-complete': isComplete, settlements, operation }: OutboxValues,
  place: Destination,
) {
  const unread: number[] = [];
  let elsewhere = 0;
  const read = createListReader(
    { ...place, operation },
    {
      onUnread: (line) => void unread.push(line),
      onElsewhere() {
        elsewhere += 1;
      },
      onOpenEnd: isComplete ? undefined : () => refuseOpenEnd(path),
    },
  );
  const hash = createHash('sha256');
  const decoder = new TextDecoder();
  let size = 0;

  function* named(text: string, isLast = false): Generator<ReportReference> {
    for (const { reference, operation: own = operation } of read(text, isLast)) {
      if (own === undefined)
        throw new Failure(`${path} has no column operation, so the command needs --operation <name>`);
      // `reconcile` checks the words of the list.
      for (const one of settlements ? withSettlement(own) : [own])
        yield { reference, operation: one as ReportReference['operation'] };
    }
  }

  async function* references(): AsyncGenerator<ReportReference> {
    try {
      for await (const bytes of path === '-' ? terminal().stdin : createReadStream(path)) {
        hash.update(bytes);
        size += bytes.length;
        yield* named(decoder.decode(bytes, { stream: true }));
      }
      yield* named(decoder.decode(), true);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure(`${path} cannot be read (${error instanceof ListError ? error.message : codeOf(error)})`);
    }
  }

  return {
    references,
    unread,
    /** The receipts of other accounts or environments. */
    elsewhere: () => elsewhere,
    sha256: () => hash.copy().digest('hex'),
    /** Whether the file still begins with what was read: a log may have grown. */
    async isUnchanged(): Promise<boolean> {
      const now = createHash('sha256');
      for await (const bytes of createReadStream(path, { end: size - 1 })) now.update(bytes);
      return now.digest('hex') === hash.copy().digest('hex');
    },
  };
}
