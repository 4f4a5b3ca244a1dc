import { asRecord } from '../platform/as-record.js';
import { operationNames } from '../protocol/operations.js';
import { LARGEST_COUNT } from './counts.js';
import { isAccount, type OutboxEnvironment } from './destination.js';
import type { Row, RowState } from './state-machine.js';

/** A row as a store reads it. Its parts are not checked yet. */
export type StoredRow = { readonly [Name in keyof Omit<Row, 'damage'>]: unknown };

/** The value of a part that could not be parsed. */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/** Above the fence of every claim, so that a late write of an earlier claim is not made. */
const FENCE_BEYOND_ALL = LARGEST_COUNT;
/** The largest time of a `Date`. */
const FURTHEST_TIME = 8_640_000_000_000_000;

type Part<Name extends keyof StoredRow> = readonly [isSound: (value: unknown) => boolean, instead: (value: unknown) => Row[Name]];

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNothing = (value: unknown): boolean => value === undefined || isText(value);
const isBit = (value: unknown): boolean => typeof value === 'boolean';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
/** Whether a value is a time. Fractions of a millisecond are allowed, since delays have them. */
export const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= FURTHEST_TIME;
export const isCounter = (value: unknown): value is number => isCount(value) && value <= LARGEST_COUNT;
const isFence = (value: unknown): boolean => isCount(value) && value < FENCE_BEYOND_ALL;
const oneOf =
  (...known: readonly unknown[]) =>
  (value: unknown): boolean =>
    known.includes(value);
const nothing = (): undefined => undefined;
const zero = (): number => 0;
/** Keeps a damaged name as it is, so that a person can still read it. */
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

/** The check of each part of a row, and its value if it is damaged. A damaged part never counts as proof that the report was not sent. */
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

/** The state of a stored row. A damaged state is read as quarantined, so that a person looks at it. */
export const readState = (value: unknown): RowState => (isState(value) ? (value as RowState) : 'quarantined');

/** The fence of a stored row. A damaged fence is read as the highest. */
export const readFence = (value: unknown): number => (isFence(value) ? Number(value) : FENCE_BEYOND_ALL);

/** The parts of an id. A reference may contain colons. */
function partsOf(id: unknown) {
  if (!isText(id)) return undefined;
  const [account, environment, operation, ...reference] = String(id).split(':');
  return { account, environment, operation, reference: reference.join(':') };
}

/**
 * Checks the row that a store has read. Never throws, so that one damaged row does not stop the reading of others. A row with a
 * damaged part names it in `damage` and in its problem. A worker quarantines the row instead of sending it.
 */
export function rowFrom(stored: StoredRow): Row {
  const bad = NAMES.filter((name) => !PARTS[name][0](stored[name]));
  // The parts of the row must be those of its id. Otherwise it could go to another gateway, or be taken for another report.
  const { id, waitsFor, reference } = stored;
  const named = partsOf(id);
  for (const name of ['reference', 'operation', 'environment', 'account'] as const)
    if (named && isText(stored[name]) && stored[name] !== named[name] && !bad.includes(name)) bad.push(name);
  if (isText(waitsFor) && !String(waitsFor).endsWith(`:${reference}`)) bad.push('waitsFor');
  if (bad.length === 0) return stored as Row;
  const row = { ...stored, ...Object.fromEntries(bad.map((name) => [name, PARTS[name][1](stored[name])])) } as Row;
  const damage = bad.join(', ');
  const { account: owner, environment: where } = partsOf(id) ?? row;
  // Account and environment are those of the id, since a store finds the row by them.
  const found = { account: isAccount(owner) ? owner : row.account, environment: isEnvironment(where) ? where : row.environment };
  return { ...row, ...found, damage, problem: damageProblem(damage) };
}

/** The problem of a damaged row. */
export const damageProblem = (damage: string, subject = 'This report'): NonNullable<Row['problem']> => ({
  code: 'damaged',
  message: `${subject}: the stored row is damaged (${damage}). The outbox does not send it. Compare it with your books and the gateway, then resolve it.`,
});
