import { asRecord } from '../../core/platform/as-record.js';
import { operationNames } from '../../core/protocol/operations.js';
import { isAccount, OUTBOX_ENVIRONMENTS, type OutboxEnvironment } from './destination.js';
import { LARGEST_COUNT, ROW_STATES, type Row } from './state-machine.js';

/** A row as a store reads it, unchecked. */
export type StoredRow = { readonly [Name in keyof Omit<Row, 'damage'>]: unknown };

export const UNREADABLE: unique symbol = Symbol('unreadable');

/** Above the fence of every claim, so that no late write is made. */
const FENCE_BEYOND_ALL = LARGEST_COUNT;
/** The largest time of a `Date`. */
export const FURTHEST_TIME = 8_640_000_000_000_000;

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNothing = (value: unknown): boolean => value === undefined || isText(value);
const isBit = (value: unknown): boolean => typeof value === 'boolean';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** Fractions of a millisecond are allowed, since delays have them. */
const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= FURTHEST_TIME;
const isFence = (value: unknown): boolean => isCount(value) && value < FENCE_BEYOND_ALL;
const oneOf =
  (...known: readonly unknown[]) =>
  (value: unknown): boolean =>
    known.includes(value);

const isProblem = (value: unknown): boolean => {
  const { code, message, keyId } = asRecord(value);
  return value === undefined || (isText(code) && isText(message) && isTextOrNothing(keyId));
};

const isDecision = (value: unknown): boolean => {
  const { action, reason, at } = asRecord(value);
  return oneOf('retry', 'recorded', 'dismissed', 'reopened', 'replaced')(action) && isText(reason) && isTime(at);
};

const isEnvironment = (value: unknown): value is OutboxEnvironment => oneOf(...OUTBOX_ENVIRONMENTS)(value);

const isState = oneOf(...ROW_STATES);

const PARTS: { readonly [Name in keyof StoredRow]: (value: unknown) => boolean } = {
  id: isText,
  account: isAccount,
  sequence: isCount,
  environment: isEnvironment,
  operation: oneOf(...operationNames),
  reference: isText,
  waitsFor: isTextOrNothing,
  state: isState,
  blocked: isBit,
  fence: isFence,
  attempts: (value) => isCount(value) && value <= LARGEST_COUNT,
  inDoubt: isBit,
  doubtBefore: isBit,
  enqueuedAt: isTime,
  dueAt: isTime,
  changedAt: isTime,
  outcome: oneOf(undefined, 'recorded', 'already-recorded', 'accepted'),
  message: isTextOrNothing,
  requestId: isTextOrNothing,
  problem: isProblem,
  decisions: (value) => Array.isArray(value) && value.every(isDecision),
  fingerprint: isText,
  excerpt: isTextOrNothing,
  body: isTextOrNothing,
};

const NAMES = Object.keys(PARTS) as (keyof StoredRow)[];

/** The values instead of damaged parts. They never count as proof that the report was not sent. */
const INSTEAD = {
  sequence: 0,
  state: 'quarantined',
  blocked: false,
  fence: FENCE_BEYOND_ALL,
  attempts: 0,
  inDoubt: true,
  doubtBefore: true,
  enqueuedAt: 0,
  dueAt: 0,
  changedAt: 0,
  decisions: [],
} as const;
/** Damaged names stay as they are, so that a person can still read them. */
const TEXTS: readonly string[] = ['id', 'account', 'environment', 'operation', 'reference', 'fingerprint'];

const instead = (name: keyof StoredRow, value: unknown): unknown =>
  TEXTS.includes(name) ? (isText(value) ? value : '') : asRecord(INSTEAD)[name];

/** The parts of an id. A reference may contain colons. */
function partsOf(id: unknown) {
  if (!isText(id)) return undefined;
  const [account, environment, operation, ...reference] = String(id).split(':');
  return { account, environment, operation, reference: reference.join(':') };
}

/**
 * Checks the row that a store has read. Never throws, so that one damaged row does not stop the reading of others. It
 * names its damaged parts in `damage` and in its problem, and a worker quarantines it.
 */
export function rowFrom(stored: StoredRow): Row {
  const bad = NAMES.filter((name) => !PARTS[name](stored[name]));
  // Parts other than those of the id could send the row to another gateway, or make it another report.
  const { id, waitsFor, reference } = stored;
  const named = partsOf(id);
  for (const name of ['reference', 'operation', 'environment', 'account'] as const)
    if (named && isText(stored[name]) && stored[name] !== named[name] && !bad.includes(name)) bad.push(name);
  if (isText(waitsFor) && !String(waitsFor).endsWith(`:${reference}`)) bad.push('waitsFor');
  if (bad.length === 0) return stored as Row;
  const row = { ...stored, ...Object.fromEntries(bad.map((name) => [name, instead(name, stored[name])])) } as Row;
  const damage = bad.join(', ');
  const { account: owner, environment: where } = partsOf(id) ?? row;
  // Account and environment are those of the id, since a store finds the row by them.
  const found = {
    account: isAccount(owner) ? owner : row.account,
    environment: isEnvironment(where) ? where : row.environment,
  };
  return { ...row, ...found, damage, problem: damageProblem(damage) };
}

export const damageProblem = (damage: string, subject = 'This report'): NonNullable<Row['problem']> => ({
  code: 'damaged',
  message: `${subject}: the stored row is damaged (${damage}). It is not sent: compare it with your books and the gateway, then resolve it.`,
});
