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
import { UNREADABLE } from '../schema/option-rules.js';
import { listIssues, validate } from '../schema/validate.js';
import type { Settings } from './config.js';
import { callOptions } from './option-table.js';
import type { CallOptions } from './options.js';

export type Parameters = Required<Omit<CallOptions, 'timeoutMs'>> & { readonly timeoutMs: number };

/** Inherits nothing: what a library added to `Object.prototype` is not a parameter. */
type Members = Record<string, unknown>;

const LIFTED = ['environment', 'clientIP', 'location'] as const;
const FIXED_IN_A_CALL = issue(
  ['location', 'fixed'],
  'unknown-field',
  'is an option of createClient; a call takes location: { latitude, longitude }',
);
const OPTIONS: readonly string[] = [...LIFTED, 'signal', 'timeoutMs'];

/** Checks both in one pass, and throws one `ValidationError` that lists every problem. The body has no location. */
export function checkCall(operation: OperationName, payload: unknown, options: unknown, context: Settings) {
  const row: Operation = operations[operation];
  // The relay adds what the page leaves out.
  const relayed = context.channel.kind === 'relay';
  const request = relayed ? incomplete(row.request, row.reference) : row.request;
  const copied = copyJson(payload);
  const names = LIFTED.filter((name) => name !== 'location' || row.location !== 'none');
  const body = copied.value as Members | undefined;
  const lifted: Members = bareObject();
  if (isRecord(body)) {
    for (const name of names) {
      if (body[name] !== undefined) lifted[name] = body[name];
      delete body[name];
    }
    // The relay knows its player. A page without types may pass one: no NIN leaves the page.
    if (relayed) for (const name of ['user', 'userId']) delete body[name];
  }
  const validated = validate(request, context.validation, body, [], names);
  const refused = copied.issues.map(({ path }) => path);
  const within = (path: string) =>
    refused.some((parent) => parent === '' || path === parent || path.startsWith(`${parent}.`));

  const locationModel = row.location === 'field' && lifted.location !== undefined ? locationField : locationInput;
  const own = readOptions(options);
  const { parameters, issues: wrong } = readParameters(lifted, own.given, context);
  const issues = [...copied.issues, ...validated.issues.filter(({ path }) => !within(path)), ...own.issues, ...wrong];
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
  const { given, issues } = readOptions(options);
  for (const name of Object.keys(given).filter((one) => OPTIONS.includes(one) && !takes.includes(one))) {
    issues.push(issue([name], 'unknown-field', `${operation} takes no ${name}; remove it`));
    delete given[name];
  }
  const { parameters, issues: wrong } = readParameters(bareObject(), given, context);
  issues.push(...wrong);
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

const ONLY_ON_SERVERS = "is for servers; in a page or an app the connection's own address is looked up";

/** A parameter given in both must have the same value. */
function readParameters(
  lifted: Members,
  given: Readonly<Members>,
  context: Settings,
): { readonly parameters: Parameters; readonly issues: readonly ValidationIssue[] } {
  const differs = (name: string) =>
    lifted[name] !== undefined && given[name] !== undefined && canonical(given[name]) !== canonical(lifted[name]);
  const issues = LIFTED.filter(differs).map((name) =>
    issue([name], 'conflict', 'differs between the payload and the options; give it once'),
  );
  const { location, ...members } = Object.assign(bareObject(), given, lifted);
  const others = asOwnRecord(members);
  if (Object.keys(others).length > 0) issues.push(...validate(callOptions, 'strict', others, [], OPTIONS).issues);

  const { environment, clientIP, timeoutMs } = others as {
    environment?: Environment;
    clientIP?: unknown;
    timeoutMs?: number;
  };
  if (environment !== undefined && context.channel.kind === 'relay')
    issues.push(issue(['environment'], 'invalid', 'is set by the relay; remove it'));
  if (clientIP !== undefined) {
    const { clientIpProblem: problemOf = () => ONLY_ON_SERVERS } = context;
    const problem = problemOf(clientIP);
    if (problem) issues.push(issue(['clientIP'], 'invalid', problem));
  }
  const parameters = {
    environment: environment === 'production' || environment === 'staging' ? environment : context.environment,
    clientIP: clientIP as string | undefined,
    location: withoutOrigin(location) as LocationInput | undefined,
    signal: others.signal as AbortSignalLike | undefined,
    timeoutMs: timeoutMs ?? context.timeoutMs,
  };
  return { parameters, issues };
}

/** Removes the members that `locate` adds and that are not sent. */
function withoutOrigin(location: unknown): unknown {
  if (!isRecord(location)) return location;
  const { ageMs, steps, ...sent } = location;
  return asOwnRecord(sent);
}

/** The options' own members, each read once. The signal is kept, everything else is copied. */
function readOptions(options: unknown): { readonly given: Members; readonly issues: ValidationIssue[] } {
  const nothing = bareObject();
  if (options === undefined) return { given: nothing, issues: [] };
  try {
    if (!isRecord(options)) return { given: nothing, issues: [issue(['options'], 'wrong-type', 'expected an object')] };
    const { signal, ...others } = asOwnRecord(options);
    const { value, issues } = copyJson(others);
    return { given: Object.assign(nothing, value, signal !== undefined && { signal }), issues };
  } catch {
    return { given: nothing, issues: [UNREADABLE] };
  }
}
