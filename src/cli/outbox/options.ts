import { ACCOUNT_RULE, isAccount } from '../../outbox/destination.js';
import type { RowQuery } from '../../outbox/store.js';
import { notEmpty, type OptionTable, oneOf, type Values, wholeNumber } from '../args.js';
import { Failure } from '../output.js';

const accountName = (text: string): string => {
  if (!isAccount(text)) throw new Failure(`must be an account: ${ACCOUNT_RULE}`);
  return text;
};

/** Reads a number of days, such as `400d`. */
const days = (text: string): number => {
  const [, number] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (number === undefined || Number(number) < 1) throw new Failure('must be a number of days, such as 400d');
  return Number(number);
};

/** The problems of quarantined reports. A duplicate with other data is a conflict, which needs another decision. */
const PROBLEMS = ['unprocessable', 'bad-request', 'not-found', 'duplicate', 'conflict', 'validation', 'damaged'] as const;

export const OUTBOX_OPTIONS = {
  json: { help: 'Print JSON, one object per line' },
  state: { hint: '<state>', help: 'list: only reports in this state', read: oneOf('waiting', 'blocked', 'in-flight', 'quarantined', 'recorded', 'dismissed') },
  account: { hint: '<name>', help: 'only this account, such as default', read: accountName },
  environment: { hint: '<name>', help: 'only this environment: staging or production', read: oneOf('staging', 'production') },
  operation: {
    hint: '<name>',
    help: 'only this operation, such as reportBetEvent',
    read: oneOf('reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'),
  },
  map: { hint: '<file.json>', help: 'import: the field of each column', read: notEmpty },
  options: { hint: '<file.mjs>', help: 'import: options of the client, and its export outbox', read: notEmpty },
  'dry-run': { help: 'import: check every line, and enqueue nothing' },
  'skip-rejected': { help: 'import: skip wrong lines. move: see below' },
  rate: { hint: '<number>', help: 'import: reports per second (default: no limit)', read: wholeNumber(1, 1_000_000) },
  limit: { hint: '<number>', help: 'list: at most this number of reports (default: 50)', read: wholeNumber(1, 1_000_000) },
  after: { hint: '<number>', help: 'list: the next page, as list prints it', read: wholeNumber(0, 9_999_999_999) },
  all: { help: 'retry, resolve: every quarantined report' },
  code: { hint: '<code>', help: '--all: only with this problem, as list prints it', read: oneOf(...PROBLEMS) },
  as: { hint: '<verdict>', help: 'resolve: recorded or dismissed', read: oneOf('recorded', 'dismissed') },
  'with-settlement': { help: 'resolve --as dismissed: dismiss the settlement, too' },
  gateway: { hint: '<address>', help: 'rebind: the new address of the gateway', read: notEmpty },
  reason: { hint: '<text>', help: 'retry, resolve, rebind: it is kept, so name no player', read: notEmpty },
  'keep-body': { help: 'resolve: keep the body, like the option keepBodies' },
  'older-than': { hint: '<days>', help: 'prune: delete reports older than this, such as 400d', read: days },
  'keep-receipts': { help: 'prune: keep the receipts, so the log still verifies' },
  from: { hint: '<index>', help: 'export: begin with this entry (default: 0)', read: wholeNumber(0, 9_999_999_999) },
  to: { hint: '<place>', help: 'move: postgres://… or a new file (default: DATABASE_URL)', read: notEmpty },
  abandon: { help: 'move: release a file whose move has begun; see below' },
  gone: { hint: '<place>', help: 'move --abandon: the target, if it is gone for ever', read: notEmpty },
  schema: { hint: '<name>', help: 'the schema in PostgreSQL (default: location_sdk)', read: notEmpty },
  port: { hint: '<number>', help: 'console: its port (default: a free one)', read: wholeNumber(0, 65_535) },
  'read-only': { help: 'console: show only, without decisions' },
  head: { hint: '<hash>', help: 'verify: a saved head, which must be in the log', read: notEmpty },
} as const satisfies OptionTable;

export type OutboxValues = Values<typeof OUTBOX_OPTIONS>;

/** The calls whose reports an outbox holds. */
export type OutboxOperation = NonNullable<OutboxValues['operation']>;

/** Narrows the reports of a command. Without any of these, the command is about all reports. */
export type Narrowing = Pick<RowQuery, 'account' | 'environment' | 'operation'>;
