import { asOwnRecord, isRecord } from '../../core/platform/as-record.js';
import { DAY_MS } from '../../core/platform/time.js';
import { type Operation, operations } from '../../core/protocol/operations.js';
import { issue, type ValidationIssue } from '../../core/schema/issue.js';
import { locationInput } from '../../core/schema/location.js';
import { validate } from '../../core/schema/validate.js';
import type { RelayLocation, RelayOperation, RelaySettings } from './relay-options.js';

/** The part of an event that a page may set. */
export interface PageEvent {
  /** Without the location. */
  readonly fields: Record<string, unknown>;
  readonly reference: string | undefined;
  readonly location: RelayLocation | undefined;
}

const CONTROL = /\p{Cc}/u;

/** Lists every problem. The operator may add the missing fields. */
export function readPageEvent(
  operation: RelayOperation,
  body: Readonly<Record<string, unknown>>,
  rules: Pick<RelaySettings, 'environment' | 'gpsSource'>,
): { event: PageEvent; issues: ValidationIssue[] } {
  const row: Operation = operations[operation];
  const { user, userId, environment, clientIP, location, ...fields } = body;
  const issues: ValidationIssue[] = [];
  const ofBackend = { user, userId, environment: environment === rules.environment ? undefined : environment };
  // Also the right player is refused: else the answers would tell what the backend knows.
  for (const [name, value] of Object.entries(ofBackend))
    if (value !== undefined) issues.push(issue([name], 'conflict', 'is set by the backend; leave it out'));
  if (clientIP !== undefined)
    issues.push(issue(['clientIP'], 'unknown-field', 'the backend reads the address from the connection; remove it'));

  const given = row.reference && fields[row.reference];
  const reference = typeof given === 'string' && !CONTROL.test(given) ? given : undefined;
  if (typeof given === 'string' && reference === undefined)
    issues.push(issue([row.reference ?? ''], 'invalid', 'expected a string without control characters'));
  // Only the present values are checked: missing ones can be found after the operator has added its own.
  issues.push(...validate(row.request, 'partial', fields).issues.filter(({ code }) => code !== 'missing'));
  if (location !== undefined)
    issues.push(
      ...validate(locationInput, 'strict', isRecord(location) ? asOwnRecord(location) : location, ['location']).issues,
    );
  const { source = 'gps' } = (location ?? {}) as { source?: unknown };
  // A page must not report a location as measured if it was not. So another source is refused and not renamed.
  if (source !== 'gps' && source !== rules.gpsSource)
    issues.push(issue(['location', 'source'], 'invalid', "expected 'gps': other locations are found by the backend"));
  const located = location === undefined ? undefined : { ...(location as RelayLocation), source: rules.gpsSource };
  return { event: { fields, reference, location: located }, issues };
}

const HOUR_MS = 3_600_000;

const durationWords = (milliseconds: number): string => {
  if (milliseconds >= 2 * DAY_MS) return `${Math.floor(milliseconds / DAY_MS)} days`;
  if (milliseconds >= 2 * HOUR_MS) return `${Math.floor(milliseconds / HOUR_MS)} hours`;
  return `${Math.floor(milliseconds / 1_000)} seconds`;
};

export function timestampProblem(timestamp: unknown, now: number, windowMs: number): ValidationIssue | undefined {
  const difference = typeof timestamp === 'string' ? Number(timestamp) * 1_000 - now : 0;
  if (Math.abs(difference) <= windowMs) return undefined;
  return issue(
    ['timestamp'],
    'invalid',
    `is ${durationWords(Math.abs(difference))} ${difference < 0 ? 'before' : 'after'} the time of the backend, which accepts ${durationWords(windowMs)}; set the clock of this device`,
  );
}
