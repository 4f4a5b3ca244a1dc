import type { Environment } from '../errors/errors.js';
import { asOwnRecord } from '../platform/as-record.js';
import { type Operation, operations } from '../protocol/operations.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { locationInput } from '../schema/location.js';
import { validate } from '../schema/validate.js';
import type { RelayLocation, RelayOperation } from './options.js';

/** What a page sent, taken apart: what it may say, and what it only may repeat. */
export interface PageEvent {
  /** The event, without what follows. */
  readonly fields: Record<string, unknown>;
  readonly reference: string | undefined;
  readonly location: RelayLocation | undefined;
  /** Whom the page takes the player for, if it says so. */
  readonly claimed: Readonly<Record<'user' | 'userId', unknown>>;
}

export interface PageRules {
  readonly environment?: Environment | undefined;
  readonly gpsSource: string;
}

const CONTROL = /\p{Cc}/u;

/** Takes a page's event apart and says everything that is wrong with it; what is missing may be added by the operator. */
export function readPageEvent(
  operation: RelayOperation,
  body: Readonly<Record<string, unknown>>,
  rules: PageRules,
): { event: PageEvent; issues: ValidationIssue[] } {
  const row: Operation = operations[operation];
  const { user, userId, environment, clientIP, location, ...fields } = body;
  const issues: ValidationIssue[] = [];
  if (environment !== undefined && environment !== rules.environment) issues.push(issue(['environment'], 'conflict', "is the backend's to say; leave it out"));
  if (clientIP !== undefined) issues.push(issue(['clientIP'], 'unknown-field', 'the backend sees the address itself; remove it'));

  const given = row.reference && fields[row.reference];
  const reference = typeof given === 'string' && !CONTROL.test(given) ? given : undefined;
  if (typeof given === 'string' && reference === undefined)
    issues.push(issue([row.reference ?? ''], 'invalid', 'expected a string without control characters'));
  // The values that are there: whether all are there can be told once the operator has added its own.
  issues.push(...validate(row.request, 'partial', fields).issues.filter(({ code }) => code !== 'missing'));
  const isRecord = typeof location === 'object' && location !== null && !Array.isArray(location);
  if (location !== undefined) issues.push(...validate(locationInput, 'strict', isRecord ? asOwnRecord(location) : location, ['location']).issues);
  const { source = 'gps' } = (location ?? {}) as { source?: unknown };
  // What was not measured must not be reported as measured, so another source is refused and not renamed.
  if (source !== 'gps' && source !== rules.gpsSource)
    issues.push(issue(['location', 'source'], 'invalid', "expected 'gps': other locations are found by the backend"));
  const located = location === undefined ? undefined : { ...(location as RelayLocation), source: rules.gpsSource };
  return { event: { fields, reference, location: located, claimed: { user, userId } }, issues };
}

const DIFFERS = 'is not what the backend knows of the player; leave it out';

/** Who the player is comes from the operator's session; a page may repeat it, not change it. */
export function compareClaims({ user, userId }: PageEvent['claimed'], event: Readonly<Record<string, unknown>>): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  // A copy of plain data, in which nothing is inherited.
  const known = event.user as Record<string, unknown>;
  if (user !== undefined && (typeof user !== 'object' || user === null || Array.isArray(user)))
    issues.push(issue(['user'], 'wrong-type', 'expected an object, or nothing'));
  else for (const [name, value] of Object.entries(user ?? {})) if (!isSame(value, known[name])) issues.push(issue(['user', name], 'conflict', DIFFERS));
  if (userId !== undefined && userId !== event.userId) issues.push(issue(['userId'], 'conflict', DIFFERS));
  return issues;
}

/** The values of a user are plain; anything else is never the same. */
const isSame = (claimed: unknown, known: unknown) => typeof claimed !== 'object' && claimed === known;
