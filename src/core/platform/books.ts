import { withoutFormula } from './messages.js';

/** A report in a list from the operator's books. */
interface ListedReport {
  readonly reference: string;
  /** Of its cell `operation`, if the list has that column. */
  readonly operation: string | undefined;
}

export class ListError extends Error {}

/** No cell is longer, unless a quote is not closed. */
const LONGEST_CELL = 100_000;

/** The characters after which it is clear what a list is. */
const ENOUGH = 50_000;

/**
 * Reads CSV by RFC 4180, in pieces. A semicolon or a tab parts the cells where the first line has no comma. Blanks around
 * a cell count only within quotes. While a row is given, `at.line` is the number of its last line.
 */
export function createCsvReader(at = { line: 0 }): (piece: string, isLast?: boolean) => Generator<string[]> {
  let separator: string | undefined;
  let [unread, cell] = ['', ''];
  let row: string[] = [];
  let [isQuoted, wasQuote] = [false, false];

  function endCell(): void {
    row.push(wasQuote ? cell : cell.trim());
    cell = '';
  }

  function* endRow(): Generator<string[]> {
    endCell();
    at.line += 1;
    if (row.some((one) => one !== '')) yield row;
    row = [];
  }

  return function* (piece, isLast = false) {
    unread += piece;
    separator ??= isLast || unread.includes('\n') ? separatorOf(unread) : undefined;
    if (separator !== undefined) {
      for (const character of unread) {
        const isQuote = character === '"';
        if (isQuote && wasQuote) cell += '"';
        if (isQuote && (isQuoted || wasQuote || cell === '')) isQuoted = !isQuoted;
        else if (isQuoted) {
          cell += character;
          if (character === '\n') at.line += 1;
        } else if (character === separator) endCell();
        else if (character === '\n') yield* endRow();
        else if (character !== '\r' && character !== '\uFEFF') cell += character;
        if (character !== '\r') wasQuote = isQuote && !isQuoted;
        if (cell.length > LONGEST_CELL) break;
      }
      unread = '';
    }
    if (cell.length + unread.length > LONGEST_CELL || (isLast && isQuoted))
      throw new ListError('a quote is not closed, or it is not a list with one reference per line');
    if (isLast) yield* endRow();
  };
}

const separatorOf = (text: string): string => {
  const [first = ''] = text.split('\n', 1);
  return [',', ';', '\t'].find((one) => first.includes(one)) ?? ',';
};

/** The columns that may name a report, in the order in which they are looked for. */
const columnsOf = (operation: string | undefined): string[] =>
  operation === undefined
    ? ['bet_id', 'reference', 'request_id']
    : [operation.includes('Withdrawal') ? 'request_id' : 'bet_id', 'reference'];

function passOver(line: number, why: string, { onUnread }: ListProblems): void {
  if (!onUnread) throw new ListError(`line ${line} ${why}`);
  onUnread(line);
}

function createReferenceReader(place: Place, problems: ListProblems): ReadList {
  const at = { line: 0 };
  const read = createCsvReader(at);
  /** Empty if the list has no line with the names of its columns. */
  let names: string[] | undefined;
  let end = '\n';
  return function* (piece, isLast) {
    end = piece.slice(-1) || end;
    if (isLast && end !== '\n') problems.onOpenEnd?.();
    for (const cells of read(piece, isLast)) {
      if (names === undefined) {
        names = cells.map((cell) => cell.trim().toLowerCase());
        if (columnsOf(undefined).some((name) => names?.includes(name))) continue;
        names = [];
      }
      const operation = cells[names.indexOf('operation')]?.trim() || undefined;
      const columns = columnsOf(operation ?? place.operation);
      const column = columns.find((name) => names?.includes(name));
      if (names.length > 0 && column === undefined)
        throw new ListError(`line ${at.line}: a report of its operation needs a column ${columns.join(' or ')}`);
      const reference = cells[column === undefined ? 0 : names.indexOf(column)];
      if (reference?.includes('{"'))
        throw new ListError('it begins as a log in JSON without receipts; give its lines with "reference" alone');
      if (cells.slice(names.length || 1).some(Boolean))
        throw new ListError(
          `line ${at.line} has more cells than the first line names columns, such as bet_id, request_id or reference; a reference with a separator needs quotes`,
        );
      if (reference?.trim()) yield { reference, operation };
      else if (cells.some(Boolean)) passOver(at.line, 'has no reference', problems);
    }
  };
}

/**
 * JSON Lines: an exported log of receipts, or a log with the lines of `onReceipt`. A program may have put words before a
 * line, and a logger may hold it as a text or an object in JSON of its own.
 */
function createLogReader(place: Place, problems: ListProblems): ReadList {
  let rest = '';
  let number = 0;

  function receiptsOf(line: string): ListedReceipt[] {
    if (!HAS_REFERENCE.test(line) && !BEGINS_RECEIPT.test(line)) return [];
    try {
      return [...receiptsIn(parsed(line))];
    } catch {
      passOver(number, 'is not complete JSON', problems);
      return [];
    }
  }

  return function* (piece, isLast) {
    const lines = (rest + piece).split('\n');
    rest = isLast ? '' : (lines.pop() ?? '');
    if (rest.length > LONGEST_CELL) throw new ListError('a line is longer than any receipt');
    for (const line of lines) {
      number += 1;
      for (const { reference, operation, outcome, ...at } of receiptsOf(line)) {
        const isHere =
          (at.account ?? place.account) === place.account &&
          (at.environment ?? place.environment) === place.environment;
        if (outcome === 'dismissed') continue;
        if (isHere) yield { reference, operation };
        else problems.onElsewhere?.();
      }
    }
  };
}

/** In each text within a text, a quote has more backslashes before it. */
const HAS_REFERENCE = /"reference\\*":/;

/** A line may be cut off before its reference. A loss of power may leave zeros in its place. */
const BEGINS_RECEIPT = /^\{"|\{\\*"(?:a?|at\\*"?)$|\{\\*"at\\*":|\0/;

function parsed(text: string): unknown {
  if (text.includes('\0')) throw new SyntaxError('a part is missing');
  return JSON.parse(text.slice(text.indexOf('{')));
}

type ListedReceipt = ListedReport & Partial<Place> & { readonly outcome: unknown };

/** Of the receipts. The errors of a report have the same members, and their outcomes prove the opposite. */
const OUTCOMES: readonly unknown[] = ['recorded', 'already-recorded', 'declared-recorded', 'dismissed'];

/** A container's log of a logger's line has three levels. */
const DEEPEST = 5;

function* receiptsIn(value: unknown, depth = 0): Generator<ListedReceipt> {
  if (typeof value === 'string' && value.includes('{') && HAS_REFERENCE.test(value)) {
    yield* receiptsIn(parsed(value), depth);
    return;
  }
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  const { reference, operation, outcome }: { reference?: unknown; operation?: unknown; outcome?: unknown } = value;
  if (typeof reference === 'string' && typeof operation === 'string' && OUTCOMES.includes(outcome))
    yield { ...value, reference, operation, outcome };
  else for (const inner of Object.values(value)) yield* receiptsIn(inner, depth + 1);
}

type ReadList = (piece: string, isLast?: boolean) => Generator<ListedReport>;

interface Place {
  readonly account: string;
  readonly environment: string;
  /** Of the rows of a list that do not name theirs. */
  readonly operation?: string | undefined;
}

interface ListProblems {
  /**
   * Gets the number of a line of a log that a crash has cut off, or of a row without a reference. Without it, reading
   * throws a `ListError`.
   */
  readonly onUnread?: ((line: number) => void) | undefined;
  /** Called for each receipt of another account or environment. */
  readonly onElsewhere?: (() => void) | undefined;
  /** A list without a last line break may be cut off within a reference. Called before the last one is read. */
  readonly onOpenEnd?: (() => void) | undefined;
}

/**
 * Reads a list of references in pieces: one per line, or CSV. In CSV, they stand in the column that names a report of
 * the operation. Of a log of receipts: those of the place that were not dismissed.
 */
export function createListReader(place: Place, problems: ListProblems = {}): ReadList {
  let unread = '';
  let read: ReadList | undefined;
  return function* (piece, isLast = false) {
    unread += piece;
    // A log may begin with lines of other programs.
    if (isLast || unread.length > ENOUGH)
      read ??= /\{.*"reference\\*":/.test(unread)
        ? createLogReader(place, problems)
        : createReferenceReader(place, problems);
    if (!read) return;
    const text = unread;
    unread = '';
    yield* read(text, isLast);
  };
}

const cellOf = (value: string): string => {
  const text = withoutFormula(value);
  return /[",;\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');

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
