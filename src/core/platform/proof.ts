import { writeCsv } from './csv.js';

interface ComparedReport {
  readonly reference: string;
  readonly operation: string;
  readonly environment: string;
  readonly state: string;
  readonly outcome?: string | undefined;
  readonly problem?: { readonly code: string } | undefined;
  readonly enqueuedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly receipt?: number | undefined;
}

/** A person said that the gateway holds it. */
export const isDeclared = ({ outcome }: Pick<ComparedReport, 'outcome'>): boolean => outcome === 'declared-recorded';

const timeOf = (at: number | undefined): string =>
  at === undefined || Number.isNaN(new Date(at).getTime()) ? '' : new Date(at).toISOString();

/** Nigeria has one time, an hour ahead of UTC, and no summer time. */
const NIGERIA_MS = 3_600_000;

/** The day in Nigeria, as `2026-11-27`. */
export const dayOf = (at: number): string => timeOf(at + NIGERIA_MS).slice(0, 10);

interface ProofOf {
  readonly at: number;
  /** SHA-256 of the list. */
  readonly list: string;
  readonly account: string;
  readonly head: { readonly count: number; readonly hash: string } | null | undefined;
  /** Receipts in the list that are of other accounts or environments. */
  readonly elsewhere: number;
}

export const ELSEWHERE = 'receipts of other accounts or environments, left out';

function createNames(): (name: string) => boolean {
  const seen = new Set<string>();
  return (name) => seen.size < seen.add(name).size;
}

/** With `day`, reports that were enqueued on another day are left out. `isNew`: whether a report was not named before. */
export function createComparison(day?: string, isNew = createNames()) {
  const counts = { total: 0, recorded: 0, declared: 0, unknown: 0, otherDays: 0, repeated: 0 };
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    counts,
    /** Whether it counts. A report that was never seen has no day, and always counts. */
    add(one: ComparedReport): boolean {
      const { reference, operation, environment, state, enqueuedAt } = one;
      if (!isNew(`${environment}:${operation}:${reference}`)) {
        counts.repeated += 1;
        return false;
      }
      if (day !== undefined && enqueuedAt !== undefined && dayOf(enqueuedAt) !== day) {
        counts.otherDays += 1;
        return false;
      }
      counts.total += 1;
      if (state === 'recorded') counts.recorded += 1;
      if (isDeclared(one)) counts.declared += 1;
      if (state === 'never-seen') counts.unknown += 1;
      if (enqueuedAt !== undefined) [first, last] = [Math.min(first, enqueuedAt), Math.max(last, enqueuedAt)];
      return true;
    },
    facts({ at, list, account, head, elsewhere }: ProofOf): [name: string, words: string][] {
      const { total, recorded, declared, otherDays, repeated } = counts;
      const leftOut: [string, number][] = [
        [ELSEWHERE, elsewhere],
        ['named again, and counted once', repeated],
      ];
      return [
        ['made at', timeOf(at)],
        ['SHA-256 of the list', list],
        ['account', account],
        ['only enqueued on', day === undefined ? 'any day' : `${day}, in Nigeria; others left out: ${otherDays}`],
        ['first and last enqueued', first <= last ? `${timeOf(first)} to ${timeOf(last)}` : ''],
        ['recorded', `${recorded} of ${total}; declared recorded by a person: ${declared}`],
        ['head of the log of receipts', head ? `${head.count} entries, ${head.hash}` : ''],
        ...leftOut.flatMap(([name, count]): [string, string][] => (count > 0 ? [[name, String(count)]] : [])),
      ];
    },
  };
}

export const proofCsv = (facts: readonly (readonly string[])[], found: readonly ComparedReport[]): string =>
  writeCsv([
    ...facts,
    [],
    ['reference', 'operation', 'environment', 'state', 'outcome', 'problem', 'enqueued', 'ended', 'receipt'],
    ...found.map((one) => [
      one.reference,
      one.operation,
      one.environment,
      one.state,
      one.outcome ?? '',
      one.problem?.code ?? '',
      timeOf(one.enqueuedAt),
      timeOf(one.endedAt),
      String(one.receipt ?? ''),
    ]),
  ]);
