import { type Environment, type ErrorOutcome, ValidationError } from '../errors/errors.js';
import { asOwnRecord, bareObject, canonical, isRecord } from '../platform/as-record.js';
import { subjectOf } from '../platform/messages.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import { type Operation, type OperationName, operations } from '../protocol/operations.js';
import { copyJson } from '../schema/copy-json.js';
import { tooManyDecimals } from '../schema/decimals.js';
import { referenceTooLong } from '../schema/fields.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { type LocationInput, location as locationField, locationInput } from '../schema/location.js';
import { incomplete } from '../schema/model.js';
import { listIssues, validate } from '../schema/validate.js';
import type { Settings } from './config.js';
import { callOptions } from './option-table.js';
import type { CallOptions } from './options.js';

/** The settings of a call, beside its body. */
export type Parameters = Required<Omit<CallOptions, 'timeoutMs'>> & { readonly timeoutMs: number };

interface CheckedCall {
  /** Without its location. */
  readonly body: Record<string, unknown>;
  readonly reference: string | undefined;
  readonly parameters: Parameters;
  /** Whether the time is that of the call, since the caller gave none. */
  readonly addsTime: boolean;
}

type Members = Record<string, unknown>;

const LIFTED = ['environment', 'clientIP', 'location'] as const;
const FIXED_IN_A_CALL = issue(
  ['location', 'fixed'],
  'unknown-field',
  'is an option of createClient; a call takes location: { latitude, longitude }',
);
const OPTIONS: readonly string[] = [...LIFTED, 'signal', 'timeoutMs'];

/** Checks a payload and its options in one pass, and throws one `ValidationError` that lists every problem. */
export function checkCall(
  operation: OperationName,
  payload: unknown,
  options: unknown,
  context: Settings,
): CheckedCall {
  const row: Operation = operations[operation];
  // The relay adds what the page leaves out.
  const request = context.channel.kind === 'relay' ? incomplete(row.request, row.reference) : row.request;
  const copied = copyJson(payload);
  const issues = [...copied.issues];
  const body = copied.value as Members | undefined;
  const names = LIFTED.filter((name) => name !== 'location' || row.location !== 'none');
  const lifted: Members = bareObject();
  if (isRecord(body)) {
    for (const name of names) {
      if (body[name] !== undefined) lifted[name] = body[name];
      delete body[name];
    }
  }
  const validated = validate(request, context.validation, body, [], names);
  const refused = copied.issues.map(({ path }) => path);
  const within = (path: string) =>
    refused.some((parent) => parent === '' || path === parent || path.startsWith(`${parent}.`));
  issues.push(...validated.issues.filter(({ path }) => !within(path)));

  const locationModel = row.location === 'field' && lifted.location !== undefined ? locationField : locationInput;
  const parameters = readParameters(lifted, readOptions(options, issues), context, issues);
  if (parameters.location !== undefined && row.location === 'none') {
    issues.push(issue(['location'], 'unknown-field', `${operation} takes no location; remove it`));
  } else if (parameters.location !== undefined) {
    const found = validate(locationModel, context.validation, parameters.location, ['location']).issues;
    issues.push(...found.map((one) => (one.path === 'location.fixed' ? FIXED_IN_A_CALL : one)));
  }

  const reference = row.reference && body?.[row.reference];
  const tooLong = referenceTooLong(reference, context.maxReferenceLength);
  if (row.reference && tooLong) issues.push(issue([row.reference], 'invalid', tooLong));
  const named = {
    operation,
    environment: parameters.environment,
    reference: typeof reference === 'string' && !tooLong ? reference : undefined,
  };
  if (validated.value && context.maxDecimals !== undefined)
    issues.push(...tooManyDecimals(request, validated.value, context.maxDecimals));
  if (issues.length > 0 || !validated.value) throw invalid(named, issues);
  // An event without a timestamp happens now (our decision).
  const addsTime = row.request.optional.includes('timestamp') && validated.value.timestamp === undefined;
  const checked = addsTime
    ? { timestamp: String(Math.floor(context.clock.now() / 1000)), ...validated.value }
    : validated.value;
  return { body: checked, reference: named.reference, parameters, addsTime };
}

/** Checks the options of a call that has no payload and accepts only some of them. */
export function checkCallOptions(
  operation: string,
  options: unknown,
  takes: readonly string[],
  context: Settings,
  outcome: ErrorOutcome,
): Parameters {
  const issues: ValidationIssue[] = [];
  const given = readOptions(options, issues);
  const refused = Object.keys(given).filter((name) => OPTIONS.includes(name) && !takes.includes(name));
  issues.push(...refused.map((name) => issue([name], 'unknown-field', `${operation} takes no ${name}; remove it`)));
  for (const name of refused) delete given[name];
  const parameters = readParameters(bareObject(), given, context, issues);
  if (issues.length > 0) throw invalid({ operation, environment: parameters.environment, outcome }, issues);
  return parameters;
}

function invalid(
  named: {
    operation: string;
    environment: Environment | undefined;
    reference?: string | undefined;
    outcome?: ErrorOutcome;
  },
  issues: ValidationIssue[],
) {
  return new ValidationError(`${subjectOf(named)}: ${listIssues(issues)}\nNothing was sent.`, { ...named, issues });
}

/** Merges the parameters of the payload and of the options. A parameter given in both must have the same value. */
function readParameters(lifted: Members, given: Members, context: Settings, issues: ValidationIssue[]): Parameters {
  for (const name of LIFTED) {
    if (lifted[name] === undefined) continue;
    if (given[name] !== undefined && canonical(given[name]) !== canonical(lifted[name])) {
      issues.push(issue([name], 'conflict', 'differs between the payload and the options; give it once'));
    }
    given[name] = lifted[name];
  }
  const { location, ...members } = given;
  const others = asOwnRecord(members);
  if (Object.keys(others).length > 0) issues.push(...validate(callOptions, 'strict', others, [], OPTIONS).issues);

  const { environment, clientIP, timeoutMs } = others as {
    environment?: Environment;
    clientIP?: unknown;
    timeoutMs?: number;
  };
  if (environment !== undefined && context.channel.kind === 'relay')
    issues.push(issue(['environment'], 'invalid', 'is set by the relay; remove it'));
  const ofServers = context.clientIpProblem
    ? undefined
    : "is for servers; in a page the connection's own address is looked up";
  const problem = clientIP === undefined ? undefined : (ofServers ?? context.clientIpProblem?.(clientIP));
  if (problem) issues.push(issue(['clientIP'], 'invalid', problem));
  return {
    environment: environment === 'production' || environment === 'staging' ? environment : context.environment,
    clientIP: clientIP as string | undefined,
    location: withoutOrigin(location) as LocationInput | undefined,
    signal: others.signal as AbortSignalLike | undefined,
    timeoutMs: timeoutMs ?? context.timeoutMs,
  };
}

/** Removes the members that `locate` adds and that are not sent. */
function withoutOrigin(location: unknown): unknown {
  if (!isRecord(location)) return location;
  const { ageMs, steps, ...sent } = location;
  return asOwnRecord(sent);
}

/** The options' own members, each read once. The signal is kept, everything else is copied. */
function readOptions(options: unknown, issues: ValidationIssue[]): Members {
  if (options === undefined) return bareObject();
  try {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      issues.push(issue(['options'], 'wrong-type', 'expected an object'));
      return bareObject();
    }
    const { signal, ...others } = asOwnRecord(options);
    const copied = copyJson(others);
    issues.push(...copied.issues);
    return Object.assign(bareObject(), copied.value, signal !== undefined && { signal });
  } catch {
    issues.push(issue(['options'], 'not-json', 'could not be read: a getter or proxy threw'));
    return bareObject();
  }
}
