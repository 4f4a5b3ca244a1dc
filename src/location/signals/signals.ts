import { ValidationError } from '../../errors/errors.js';
import { asOwnRecord } from '../../platform/as-record.js';
import { issue, type ValidationIssue } from '../../schema/issue.js';
import type { Model } from '../../schema/model.js';
import {
  type LocationObservation,
  type LocationSignalOptions,
  momentOf,
  observation,
  signalOptions,
} from '../../schema/observation.js';
import { listIssues, suggest, validate } from '../../schema/validate.js';
import { type LocationSignals, measureSignals, STANDARD_LIMITS } from './measure-signals.js';

/**
 * Reads each member of the model once. Other members are ignored, so that a result of `locate` or a whole report can be
 * passed. A name that looks misspelt is refused, since its value would silently be unknown.
 */
function readKnown(
  model: Model,
  given: unknown,
  at: string,
  issues: ValidationIssue[],
  others: 'pass' | 'refuse' = 'pass',
): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    issues.push(issue([at], given === undefined ? 'missing' : 'wrong-type', 'expected an object'));
    return undefined;
  }
  const names = Object.keys(model.fields);
  try {
    const own = Object.keys(given);
    const free = names.filter((name) => !own.includes(name));
    for (const name of own.filter((one) => !names.includes(one))) {
      const meant = suggest(name, free);
      if (meant) issues.push(issue([at, name], 'unknown-field', `unknown field; did you mean ${meant}?`));
      else if (others === 'refuse')
        issues.push(issue([at, name], 'unknown-field', `unknown field; there are ${names.join(', ')}`));
    }
    const found = names
      .filter((name) => own.includes(name))
      .map((name) => [name, (given as Record<string, unknown>)[name]] as const);
    const checked = validate(
      model,
      'strict',
      asOwnRecord(Object.fromEntries(found.filter(([, value]) => value !== undefined))),
      [at],
    );
    issues.push(...checked.issues);
    return checked.value;
  } catch {
    issues.push(issue([at], 'not-json', 'could not be read: a getter or proxy threw'));
    return undefined;
  }
}

/**
 * Compares two observations of a player, for the operator's own risk checks: for example the device's position with the
 * place of the IP address, or the last event with this one (`a` is the earlier). No signal is sent to the gateway. The
 * function does not judge: a signal is a measured value with its limit, or `'unknown'`, and never proves where a player
 * is.
 *
 * Throws a `ValidationError` that lists every wrong member, never a value.
 *
 * @example
 * ```ts
 * const { distance, speed } = locationSignals({ ...last.location, timestamp: last.timestamp }, { ...here, timestamp: Date.now() });
 * if (speed.beyondLimit === 'yes') review(`at least ${speed.atLeastKilometresPerHour} km/h since the last bet`);
 * ```
 */
export function locationSignals(
  a: LocationObservation,
  b: LocationObservation,
  options: LocationSignalOptions = {},
): LocationSignals {
  const issues: ValidationIssue[] = [];
  const first = readKnown(observation, a, 'a', issues);
  const second = readKnown(observation, b, 'b', issues);
  const given = readKnown(signalOptions, options, 'options', issues, 'refuse');
  if (issues.length > 0)
    throw new ValidationError(`locationSignals: ${listIssues(issues)}`, { operation: 'locationSignals', issues });
  const { at, limits = {} } = given as LocationSignalOptions;
  const named = Object.entries(limits).filter(([, value]) => value !== undefined);
  const moment = at === undefined ? Date.now() : momentOf(at);
  return measureSignals(
    first as LocationObservation,
    second as LocationObservation,
    { ...STANDARD_LIMITS, ...Object.fromEntries(named) },
    moment,
  );
}
