import { hash } from 'node:crypto';
import type { AnyReport } from '../../../core/delivery/frozen-report.js';
import { hasCode } from '../../../core/errors/errors.js';
import { operations, type ReportName } from '../../../core/protocol/operations.js';
import { isDistinctReference } from '../../../outbox/intake/enqueue.js';
import { startProgress } from '../progress.js';
import { type LineProblem, needsTime } from './columns.js';
import type { ImportLine, ReadLines } from './lines.js';
import type { Rejected } from './rejected.js';
import type { Source } from './source.js';

/** Shared by both runs over the lines. */
export interface Import {
  readonly source: Pick<Source, 'size' | 'position' | 'expectUnchanged'>;
  readonly read: ReadLines;
  readonly rejected: Rejected;
}

interface Frozen extends Pick<AnyReport, 'reference'> {
  /** Whether the outbox has the report: its reference is as it is. */
  readonly isStored?: boolean;
  /** Called once a line is right. Returns why the outbox does not take it. */
  judge?(): string | undefined;
}

type Freeze = (payload: Readonly<Record<string, unknown>>, operation: ReportName) => Promise<Frozen>;

/** Adds the problems of every line to `rejected`. Changes nothing. Returns the number of lines. */
export async function checkLines(
  { source, read, rejected }: Import,
  freeze: Freeze,
  isNew = createReferences(),
): Promise<number> {
  const showProgress = startProgress('Checking', source.size);
  let lines = 0;
  for await (const line of read()) {
    const { frozen, problems } = await judge(line, freeze);
    const { operation } = line;
    if (problems.length > 0) rejected.add(line, problems);
    else if (operation && frozen?.reference !== undefined && !isNew(operation + frozen.reference))
      rejected.add(line, [
        { field: operations[operation].reference, reason: 'an earlier line has the same reference' },
      ]);
    else {
      const why = frozen?.judge?.();
      // Neither the line nor its reference is wrong.
      if (why !== undefined) rejected.add(line, [{ field: '', reason: why }]);
    }
    lines += 1;
    showProgress(source.position(), lines);
  }
  return lines;
}

const NO_TIME: LineProblem = {
  field: 'timestamp',
  reason: 'is required in a file: the time of the event, as Unix seconds or as 2026-11-20T10:00:00Z',
};
const noLocation = (operation: ReportName): LineProblem => ({
  field: 'location',
  reason: `is missing${operations[operation].location === 'field' ? ', and the outbox has none of this withdrawal, or it was erased' : ''}: give location.latitude and location.longitude, or location: { required: false } in --options`,
});
const UNFIT =
  'expected a text without spaces at its ends, control, invisible and incomplete characters (lone surrogates)';
/** Spaces of a fixed-width column, or invisible characters of a copied text: a settlement without them finds no bet. */
const PADDED = /^\s|\s$|\p{Cf}/u;

async function judge(
  { operation, payload, problems: found }: ImportLine,
  freeze: Freeze,
): Promise<{ frozen?: Frozen; problems: readonly LineProblem[] }> {
  if (!payload || !operation) return { problems: found };
  const problems = [...found];
  const add = (one: LineProblem) => {
    if (!problems.some((known) => known.field === one.field)) problems.push(one);
  };
  if (needsTime(operation) && (payload.timestamp ?? '') === '') add(NO_TIME);
  try {
    const frozen = await freeze(payload, operation);
    const { reference, isStored = false } = frozen;
    if (reference !== undefined && isDistinctReference(reference) && (isStored || !PADDED.test(reference)))
      return { frozen, problems };
    add({ field: operations[operation].reference, reason: UNFIT });
  } catch (error) {
    if (hasCode(error, 'location')) add(noLocation(operation));
    else if (hasCode(error, 'validation'))
      for (const { path, message } of error.issues) add({ field: path.replace(/^payload\./, ''), reason: message });
    else throw error;
  }
  return { problems };
}

/**
 * Returns a function that tells whether a reference is new. It keeps a hash of 64 bits of each, so that ten million
 * lines take 270 MB.
 */
export function createReferences(): (reference: string) => boolean {
  let table = new BigUint64Array(1_024);
  let count = 0;

  function put(one: bigint): boolean {
    let at = Number(one % BigInt(table.length));
    while (table[at] !== 0n && table[at] !== one) at = (at + 1) % table.length;
    if (table[at] === one) return false;
    table[at] = one;
    return true;
  }

  return (reference) => {
    if (count * 2 > table.length) {
      const before = table;
      table = new BigUint64Array(before.length * 2);
      for (const one of before) if (one !== 0n) put(one);
    }
    const isNew = put(hash('sha1', reference, 'buffer').readBigUInt64LE());
    if (isNew) count += 1;
    return isNew;
  };
}
