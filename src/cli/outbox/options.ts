import { ENVIRONMENTS } from '../../core/errors/errors.js';
import { reportNames } from '../../core/protocol/operations.js';
import type { Operator } from '../../operator/operator.js';
import { ACCOUNT_RULE, isAccount } from '../../outbox/rules/destination.js';
import { LONGEST_REASON, SHOWN_STATES } from '../../outbox/rules/state-machine.js';
import type { OutboxStore, RowQuery } from '../../outbox/store/store.js';
import { isSchemaName, SCHEMA_RULE } from '../../outbox/stores/postgres/schema/name.js';
import { notEmpty, type OptionTable, oneOf, textThat, type Values, wholeNumber } from '../args.js';
import { Failure } from '../output.js';

/** A time, or for how long it is past. */
const since = (text: string): number => {
  const [, number, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (number !== undefined) return Date.now() - Number(number) * 60_000 * ({ h: 60, d: 1_440 }[unit] ?? 1);
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Failure('must be 30m, 2h or 1d ago, or a time such as 2026-11-28T10:00Z');
  return time;
};

const days = (text: string): number => {
  const [, number] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (number === undefined || Number(number) < 1) throw new Failure('must be a number of days, such as 400d');
  return Number(number);
};

const day = textThat('must be yesterday, today or a day such as 2026-11-27', (text) =>
  /^(?:today|yesterday|\d{4}-\d\d-\d\d)$/.test(text),
);

const reason = textThat(
  `must be a text of at most ${LONGEST_REASON.toLocaleString('en')} characters`,
  (text) => text.trim() !== '' && text.length <= LONGEST_REASON,
);

/** The problems of quarantined reports. A duplicate with other data is a conflict, which needs another decision. */
const PROBLEMS = [
  'unprocessable',
  'bad-request',
  'not-found',
  'duplicate',
  'conflict',
  'validation',
  'damaged',
] as const;

export const OUTBOX_OPTIONS = {
  json: { help: 'Print JSON, one object per line' },
  schema: {
    hint: '<name>',
    help: 'The schema in PostgreSQL (default: location_sdk)',
    read: textThat(`must be ${SCHEMA_RULE}`, isSchemaName),
  },
  account: {
    hint: '<name>',
    help: 'Only this account, such as default',
    read: textThat(`must be an account: ${ACCOUNT_RULE}`, isAccount),
  },
  environment: {
    hint: '<name>',
    help: 'Only this environment: staging or production',
    read: oneOf(...ENVIRONMENTS),
  },
  operation: {
    hint: '<name>',
    help: 'Only this operation, such as reportBetEvent',
    read: oneOf(...reportNames),
  },
  state: { hint: '<state>', help: 'Only reports in this state', read: oneOf(...SHOWN_STATES) },
  limit: { hint: '<number>', help: 'At most this number of reports (default: 50)', read: wholeNumber(1, 1_000_000) },
  all: { help: 'Every quarantined report' },
  except: { help: 'Leave out the reports that are named' },
  yes: { help: 'Do not ask' },
  code: { hint: '<code>', help: 'Only this problem of a quarantined report', read: oneOf(...PROBLEMS) },
  since: { hint: '<time>', help: 'In its state since this time: 2h, 2026-11-28T10:00Z …', read: since },
  until: { hint: '<time>', help: 'In its state since an earlier time', read: since },
  as: {
    hint: '<verdict>',
    help: 'recorded: the gateway has it; dismissed: never send it',
    read: oneOf('recorded', 'dismissed'),
  },
  decision: { hint: '<id>', help: 'Every report of this decision', read: notEmpty },
  'with-settlement': { help: 'With --as dismissed: dismiss its blocked settlement' },
  reason: { hint: '<text>', help: 'The reason. It is kept, so name no player', read: reason },
  'keep-body': { help: 'Keep the body, like the option keepBodies' },
  gateway: { hint: '<address>', help: 'The new address of the gateway', read: notEmpty },
  map: { hint: '<file.json>', help: 'The field of each column', read: notEmpty },
  options: { hint: '<file.mjs>', help: 'Options of the client, and its export outbox', read: notEmpty },
  'dry-run': { help: 'Check every line, and change nothing' },
  'skip-rejected': { help: 'Take the other lines if some are wrong' },
  'last-line-complete': { help: 'The last line is whole, without a line break' },
  day: { hint: '<day>', help: 'Only this day in Nigeria: yesterday, 2026-11-27 …', read: day },
  settlements: { help: 'Look for the settlement of each report, too' },
  csv: { help: 'Print a proof: every report, with its receipt, as CSV' },
  'older-than': { hint: '<days>', help: 'Delete reports older than this, such as 400d', read: days },
  'keep-receipts': { help: 'Keep the receipts, so the log still verifies' },
  erase: { help: 'Erase what is stored of final reports' },
  from: { hint: '<place>', help: 'export: the first entry; else a file of reports', read: notEmpty },
  to: { hint: '<address>', help: 'postgres://… (default: DATABASE_URL)', read: notEmpty },
  port: { hint: '<number>', help: 'Its port (default: a free one)', read: wholeNumber(0, 65_535) },
  'read-only': { help: 'Show only, without decisions' },
  head: { hint: '<hash>', help: 'A saved last hash, which must be in the log', read: notEmpty },
} as const satisfies OptionTable;

export type OutboxValues = Values<typeof OUTBOX_OPTIONS>;

export function needed<Name extends keyof OutboxValues>(
  values: OutboxValues,
  name: Name,
): NonNullable<OutboxValues[Name]> {
  const value = values[name];
  if (value === undefined || value === null) throw new Failure(`--${name} is missing`);
  return value;
}

/** Without any of these, a command is about all reports. */
export type Narrowing = Pick<RowQuery, 'account' | 'environment' | 'operation'>;

export interface OpenedOutbox {
  readonly store: OutboxStore;
  /** Reads and decides as the console does. */
  readonly operator: Operator;
  /** The beginning of commands to copy. */
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Run<Begin> = (begin: Begin, values: OutboxValues, words: readonly string[]) => Promise<number>;

/** Gets the words after the command, and returns the exit code. */
export type RunCommand = Run<OpenedOutbox>;

/** A command that opens its outbox itself, at a file or an address. */
export type BeginCommand = Run<string>;
