import { rowId } from '../../../outbox/intake/enqueue.js';
import { hasBytes, type Seal } from '../../../outbox/seal/seal.js';
import type { OutboxStore } from '../../../outbox/store.js';
import { Failure } from '../../output.js';
import type { ImportLine, ReadLines } from './lines.js';
import { startBar } from './progress-bar.js';
import type { Rejected } from './rejected.js';
import { createRepeats } from './repeats.js';
import { referenceOf, reportOf } from './report-of.js';
import type { Shape } from './shape.js';
import type { Importer } from './target.js';

/** The inputs for the check of a file. */
export interface CheckRequest {
  readonly size: number;
  readonly read: ReadLines;
  readonly shape: Shape;
  readonly importer: Importer;
  readonly rejected: Rejected;
  readonly signal: AbortSignal;
  /** The outbox that the reports go to. Undefined if it does not exist or is empty. */
  readonly holding: { readonly store: OutboxStore; readonly seal: Seal } | undefined;
}

/** The results of a check, except the refused lines. */
export interface Checked {
  readonly lines: number;
  /** Lines that the outbox already has, with the same data. */
  readonly already: number;
  /** Lines that repeat an earlier line with the same data. */
  readonly repeated: number;
  /** Lines that are refused only because another line, or the outbox, has other data under their reference. */
  readonly conflicts: ReadonlySet<number>;
}

/** At most this number of repeats, and of conflicts, is held in memory. A file with more is probably the wrong file. */
const MOST_REPEATS = 100_000;
const READ_TOGETHER = 500;

/** Checks every line of a file, and adds the problems to `rejected`. Enqueues nothing. */
export async function checkLines(request: CheckRequest): Promise<Checked> {
  const { size, read, shape, importer, rejected, signal, holding } = request;
  const repeats = createRepeats();
  const conflicts = new Set<number>();
  const bar = startBar('Checking', size);
  let [lines, already] = [0, 0];

  const refuseConflict = (line: number, reason: string, reference: string) => {
    if (conflicts.has(line)) return;
    conflicts.add(line);
    if (conflicts.size > MOST_REPEATS) throw new Failure(TOO_MANY);
    rejected.add(line, [{ field: shape.reference, reason }], reference);
  };

  try {
    for await (const { lines: some, end } of read()) {
      for (let from = 0; from < some.length; from += READ_TOGETHER) {
        const right = await judge(some.slice(from, from + READ_TOGETHER));
        if (holding) already += await compare(right, holding);
        if (signal.aborted) return { lines, already, repeated: 0, conflicts };
      }
      lines += some.length;
      bar.show(end, lines);
    }
    return { lines, already, repeated: await compareRepeats(), conflicts };
  } finally {
    bar.end();
    repeats.close();
  }

  async function judge(some: readonly ImportLine[]): Promise<Judged[]> {
    const right: Judged[] = [];
    for (const line of some) {
      const { report, problems } = await reportOf(line, shape, importer);
      if (problems.length > 0) rejected.add(line.line, problems, referenceOf(line, shape));
      if (report?.reference === undefined) continue;
      repeats.add(report.reference, line.line);
      right.push({ reference: report.reference, body: report.body, line: line.line });
    }
    return right;
  }

  /** Compares reports with those of the outbox. Returns how many the outbox has with the same data. */
  async function compare(right: readonly Judged[], { store, seal }: NonNullable<CheckRequest['holding']>): Promise<number> {
    const { account, environment } = importer;
    const rows = await store.get(right.map(({ reference }) => rowId({ account, environment }, shape.operation, reference)));
    let same = 0;
    for (const [index, row] of rows.entries()) {
      const one = right[index];
      if (!row || !one) continue;
      if (await hasBytes(seal, row, one.body)) same += 1;
      else refuseConflict(one.line, 'the outbox holds other data under this reference', one.reference);
    }
    return same;
  }

  /** Reads the file again to compare the lines that seem to have the same reference. Returns how many repeat an earlier line with the same data. */
  async function compareRepeats(): Promise<number> {
    const firstOf = new Map<number, number>();
    for (const { line, first } of repeats.find()) {
      firstOf.set(line, first);
      if (firstOf.size > MOST_REPEATS) throw new Failure(TOO_MANY);
    }
    if (firstOf.size === 0) return 0;
    const firsts = new Map<number, Omit<Judged, 'line'>>([...firstOf.values()].map((line) => [line, { reference: '', body: '' }]));
    let same = 0;
    for await (const { lines: some } of read()) {
      for (const line of some) {
        const first = firstOf.get(line.line);
        if (first === undefined && !firsts.has(line.line)) continue;
        const { report } = await reportOf(line, shape, importer);
        const { reference = '', body = '' } = report ?? {};
        if (first === undefined) {
          firsts.set(line.line, { reference, body });
          continue;
        }
        const before = firsts.get(first);
        if (before?.reference !== reference) continue;
        if (before.body === body) same += 1;
        else refuseConflict(line.line, `line ${first} has the same reference with other data`, reference);
      }
    }
    return same;
  }
}

/** A line that has no problem of its own. */
interface Judged {
  readonly line: number;
  readonly reference: string;
  readonly body: string;
}

const TOO_MANY = `more than ${MOST_REPEATS.toLocaleString('en')} lines repeat a reference or conflict with the outbox. Nothing was enqueued. Check that it is the right file`;
