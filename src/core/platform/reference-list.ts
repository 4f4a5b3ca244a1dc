import { createCsvReader, ListError, LONGEST_CELL } from './csv.js';

/** A report in a list from the operator's books. */
interface ListedReport {
  readonly reference: string;
  /** Of its cell `operation`, if the list has that column. */
  readonly operation: string | undefined;
}

/** The characters after which it is clear what a list is. */
const ENOUGH = 50_000;

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
