import { asRecord } from '../platform/as-record.js';
import { operationNames } from '../protocol/operations.js';
import { LARGEST_COUNT } from './counts.js';
import { isAccount, type OutboxEnvironment } from './destination.js';
import type { Row, RowState } from './state-machine.js';

/** A row as a store reads it: no part of it has been checked yet. */
export type StoredRow = { readonly [Name in keyof Omit<Row, 'damage'>]: unknown };

/** What stands in a stored row for a part that could not even be parsed. */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/** Above the fence of every claim that was ever made: a late write of one that holds the row is not made. */
const FENCE_BEYOND_ALL = LARGEST_COUNT;
/** The times that a `Date` holds. */
const FURTHEST_TIME = 8_640_000_000_000_000;

type Part<Name extends keyof StoredRow> = readonly [isSound: (value: unknown) => boolean, instead: (value: unknown) => Row[Name]];

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNothing = (value: unknown): boolean => value === undefined || isText(value);
const isBit = (value: unknown): boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** With a part of a millisecond, too: delays have one. */
export const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= FURTHEST_TIME;
export const isCounter = (value: unknown): value is number => isCount(value) && value <= LARGEST_COUNT;
const isFence = (value: unknown): boolean => isCount(value) && value < FENCE_BEYOND_ALL;
const oneOf =
  (...known: readonly unknown[]) =>
  (value: unknown): boolean =>
    known.includes(value);
const nothing = (): undefined => undefined;
const zero = (): number => 0;
/** What names a row is shown as it is: a person may still see what it was. */
const textAs =
  <T extends string>() =>
  (value: unknown): T =>
    (isText(value) ? value : '') as T;

const isProblem = (value: unknown): boolean => {
  if (value === undefined) return true;
  const { code, message, status, conflict, requestId, keyId } = asRecord(value);
  const isWhole = isText(code) && isText(message) && isTextOrNothing(requestId) && isTextOrNothing(keyId);
  return isWhole && (status === undefined || typeof status === 'number') && (conflict === undefined || isBit(conflict));
};

const isBefore = (value: unknown): boolean => value === undefined || (isFence(asRecord(value).fence) && isProblem(asRecord(value).problem));

function isUndone(value: unknown): boolean {
  const { reason, at, by } = asRecord(value);
  return value === undefined || (isText(reason) && isText(by) && typeof at === 'number');
}

const isDecision = (value: unknown): boolean => {
  const { action, reason, at, by, id, before, undone } = asRecord(value);
  const isWhole = oneOf('retry', 'recorded', 'dismissed')(action) && isText(reason) && typeof at === 'number' && isTextOrNothing(by) && isTextOrNothing(id);
  return isWhole && isBefore(before) && isUndone(undone);
};

const isEnvironment = (value: unknown): value is OutboxEnvironment => oneOf('staging', 'production', 'relay')(value);

const isState = oneOf('waiting', 'in-flight', 'recorded', 'quarantined', 'dismissed');

/** What each part of a row must be, and what it is taken for where it is not: never for proof that the report was not sent. */
const PARTS: { readonly [Name in keyof StoredRow]: Part<Name> } = {
  id: [isText, textAs()],
  account: [isAccount, textAs()],
  sequence: [isCount, zero],
  environment: [isEnvironment, textAs()],
  operation: [oneOf(...operationNames), textAs()],
  reference: [isText, textAs()],
  waitsFor: [isTextOrNothing, nothing],
  state: [isState, () => 'quarantined'],
  blocked: [isBit, () => false],
  fence: [isFence, () => FENCE_BEYOND_ALL],
  attempts: [isCounter, zero],
  inDoubt: [isBit, () => true],
  doubtBefore: [isBit, () => true],
  enqueuedAt: [isTime, zero],
  dueAt: [isTime, zero],
  changedAt: [isTime, zero],
  outcome: [oneOf(undefined, 'recorded', 'already-recorded', 'accepted'), nothing],
  message: [isTextOrNothing, nothing],
  requestId: [isTextOrNothing, nothing],
  problem: [isProblem, nothing],
  decisions: [(value) => Array.isArray(value) && value.every(isDecision), () => []],
  fingerprint: [isText, textAs()],
  body: [isTextOrNothing, nothing],
};

const NAMES = Object.keys(PARTS) as (keyof StoredRow)[];

/** The state of a stored row; one that cannot be read is a matter for a person. */
export const readState = (value: unknown): RowState => (isState(value) ? (value as RowState) : 'quarantined');

/** The fence of a stored row. */
export const readFence = (value: unknown): number => (isFence(value) ? Number(value) : FENCE_BEYOND_ALL);

/** What an id says of its row; a reference may hold colons. */
function partsOf(id: unknown) {
  if (!isText(id)) return undefined;
  const [account, environment, operation, ...reference] = String(id).split(':');
  return { account, environment, operation, reference: reference.join(':') };
}

/**
 * The row that a store has read. Never throws: one bad row must not keep the others from being read. One with a part that
 * is not what a store writes says so in `damage`, and as its problem; a worker quarantines it instead of sending it.
 */
export function rowFrom(stored: StoredRow): Row {
  const bad = NAMES.filter((name) => !PARTS[name][0](stored[name]));
  // The parts of its name must be those of its id: under another one it would go to another gateway, or be another report.
  const { id, waitsFor, reference } = stored;
  const named = partsOf(id);
  for (const name of ['reference', 'operation', 'environment', 'account'] as const)
    if (named && isText(stored[name]) && stored[name] !== named[name] && !bad.includes(name)) bad.push(name);
  if (isText(waitsFor) && !String(waitsFor).endsWith(`:${reference}`)) bad.push('waitsFor');
  if (bad.length === 0) return stored as Row;
  const row = { ...stored, ...Object.fromEntries(bad.map((name) => [name, PARTS[name][1](stored[name])])) } as Row;
  const damage = bad.join(', ');
  const { account: owner, environment: where } = partsOf(id) ?? row;
  // As the id names them: a store finds the row by them, also after its lease.
  const found = { account: isAccount(owner) ? owner : row.account, environment: isEnvironment(where) ? where : row.environment };
  return { ...row, ...found, damage, problem: damageProblem(damage) };
}

/** Why a damaged row is not sent. */
export const damageProblem = (damage: string, subject = 'This report'): NonNullable<Row['problem']> => ({
  code: 'damaged',
  message: `${subject}: the stored row is damaged (${damage}). The outbox does not send it. Compare it with your books and the gateway, then resolve it.`,
});
