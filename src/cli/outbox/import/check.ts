import { rowId } from '../../../outbox/intake/enqueue.js';
import type { Seal } from '../../../outbox/seal/seal.js';
import type { OutboxStore } from '../../../outbox/store.js';
import { Failure } from '../../output.js';
import type { ImportLine, ReadLines } from './lines.js';
import { startBar } from './progress-bar.js';
import type { Rejected } from './rejected.js';
import { createRepeats } from './repeats.js';
import { referenceOf, reportOf } from './report-of.js';
import type { Shape } from './shape.js';
import type { Importer } from './target.js';

/** What the check of a file needs. */
export interface CheckRequest {
  readonly size: number;
  readonly read: ReadLines;
  readonly shape: Shape;
  readonly importer: Importer;
  readonly rejected: Rejected;
  readonly signal: AbortSignal;
  /** The outbox that the reports go to, where there is one that holds reports. */
  readonly holding: { readonly store: OutboxStore; readonly seal: Seal } | undefined;
}

/** What a check found, beside the lines that are refused. */
export interface Checked {
  readonly lines: number;
  /** Lines that the outbox holds already, with the same data. */
  readonly already: number;
  /** Lines that repeat an earlier one with the same data. */
  readonly repeated: number;
  /** Lines that are refused only for what another line, or the outbox, has under their reference. */
  readonly conflicts: ReadonlySet<number>;
}

/** So many are kept in mind; a file with more of them is the wrong file. */
const MOST_REPEATS = 100_000;
const READ_TOGETHER = 500;

/** Checks every line of a file, and tells `rejected` of what is wrong. Nothing is enqueued. */
export async function checkLines(request: CheckRequest): Promise<Checked> {
  const { size, read, shape, importer, rejected, signal, holding } = request;
  const repeats = createRepeats();
  const conflicts = new Set<number>();
  const bar = startBar('Checking', size);
  let [lines, already] = [0, 0];

  const refuseConflict = (line: number, reason: string, reference: string) => {
    if (conflicts.has(line)) return;
    conflicts.add(line);
    if (conflicts.size > MOST_REPEATS) throw tooMany(rejected.file);
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

  /** Holds reports against those of the outbox; returns how many it has. */
  async function compare(right: readonly Judged[], { store, seal }: NonNullable<CheckRequest['holding']>): Promise<number> {
    const { account, environment } = importer;
    const rows = await store.get(right.map(({ reference }) => rowId({ account, environment }, shape.operation, reference)));
    let same = 0;
    for (const [index, row] of rows.entries()) {
      const one = right[index];
      if (!row || !one) continue;
      if (await seal.matches(row.fingerprint, one.body, row)) same += 1;
      else refuseConflict(one.line, 'the outbox holds other data under this reference', one.reference);
    }
    return same;
  }

  /** Reads the lines again that seem to have the same reference; returns how many repeat an earlier one with the same data. */
  async function compareRepeats(): Promise<number> {
    const firstOf = new Map<number, number>();
    for (const { line, first } of repeats.find()) {
      firstOf.set(line, first);
      if (firstOf.size > MOST_REPEATS) throw tooMany(rejected.file);
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

/** A line that is right by itself. */
interface Judged {
  readonly line: number;
  readonly reference: string;
  readonly body: string;
}

const tooMany = (file: string) =>
  new Failure(`more than ${MOST_REPEATS.toLocaleString('en')} lines repeat a reference or conflict with the outbox: is it the right file? See ${file}`);
