import { ACCOUNT_RULE, isAccount } from '../../outbox/destination.js';
import type { RowQuery } from '../../outbox/store.js';
import { notEmpty, type OptionTable, oneOf, type Values, wholeNumber } from '../args.js';
import { Failure } from '../output.js';

const accountName = (text: string): string => {
  if (!isAccount(text)) throw new Failure(`must be an account: ${ACCOUNT_RULE}`);
  return text;
};

/** Whole days of UTC. */
const days = (text: string): number => {
  const [, number] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (number === undefined || Number(number) < 1) throw new Failure('must be a number of days, such as 400d');
  return Number(number);
};

/** What may quarantine a report. A duplicate with other data is a conflict, which is another thing to decide on. */
const PROBLEMS = ['unprocessable', 'bad-request', 'not-found', 'duplicate', 'conflict', 'validation', 'damaged'] as const;

export const OUTBOX_OPTIONS = {
  json: { help: 'Print JSON, one object a line' },
  state: { hint: '<state>', help: 'list: only these', read: oneOf('waiting', 'blocked', 'in-flight', 'quarantined', 'recorded', 'dismissed') },
  account: { hint: '<name>', help: 'of one account alone; reconcile, rebind, import: default', read: accountName },
  environment: { hint: '<name>', help: 'only reports of it; reconcile, rebind: of what', read: oneOf('staging', 'production') },
  operation: {
    hint: '<name>',
    help: 'the same but rebind, such as reportBetEvent',
    read: oneOf('reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'),
  },
  map: { hint: '<file.json>', help: 'import: from names of columns to fields', read: notEmpty },
  options: { hint: '<file.mjs>', help: 'import: client options, and as "outbox" its encryption', read: notEmpty },
  'dry-run': { help: 'import: check every line, and enqueue nothing' },
  'skip-rejected': { help: 'import: enqueue the other lines where some are wrong' },
  rate: { hint: '<number>', help: 'import: enqueue so many a second (default: no limit)', read: wholeNumber(1, 1_000_000) },
  limit: { hint: '<number>', help: 'list: at most (default: 50)', read: wholeNumber(1, 1_000_000) },
  after: { hint: '<number>', help: 'list: the next page', read: wholeNumber(0, 9_999_999_999) },
  all: { help: 'retry, resolve: every quarantined report' },
  code: { hint: '<code>', help: '--all: only with this problem, as list prints it', read: oneOf(...PROBLEMS) },
  as: { hint: '<verdict>', help: 'resolve: recorded or dismissed', read: oneOf('recorded', 'dismissed') },
  'with-settlement': { help: 'resolve --as dismissed: the settlement, too' },
  gateway: { hint: '<address>', help: 'rebind: where reports go from now on', read: notEmpty },
  reason: { hint: '<text>', help: 'retry, resolve, rebind: why; kept, so name no player', read: notEmpty },
  'keep-body': { help: 'resolve: keep the body, as the option keepBodies does' },
  'older-than': { hint: '<days>', help: 'prune: ended so many days ago, such as 400d', read: days },
  'keep-receipts': { help: 'prune: receipts stay, so that the log still verifies' },
  from: { hint: '<index>', help: 'export: begin with this entry (default: 0)', read: wholeNumber(0, 9_999_999_999) },
  to: { hint: '<address>', help: 'move: postgres://… (default: DATABASE_URL)', read: notEmpty },
  abandon: { help: 'move: give up one that has begun; see below' },
  gone: { hint: '<place>', help: 'move --abandon: the place that is gone for ever', read: notEmpty },
  schema: { hint: '<name>', help: 'the schema in PostgreSQL (default: location_sdk)', read: notEmpty },
  port: { hint: '<number>', help: 'console: its port (default: a free one)', read: wholeNumber(0, 65_535) },
  'read-only': { help: 'console: it only shows' },
  head: { hint: '<hash>', help: 'verify: a head that was noted; it must be in the log', read: notEmpty },
} as const satisfies OptionTable;

export type OutboxValues = Values<typeof OUTBOX_OPTIONS>;

/** The calls whose reports an outbox holds. */
export type OutboxOperation = NonNullable<OutboxValues['operation']>;

/** Which reports of a file a command is about; none of these means all. */
export type Narrowing = Pick<RowQuery, 'account' | 'environment' | 'operation'>;
