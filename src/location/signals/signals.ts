import { ValidationError } from '../../errors/errors.js';
import { asOwnRecord, isRecord } from '../../platform/as-record.js';
import { issue, type ValidationIssue } from '../../schema/issue.js';
import {
  type LocationObservation,
  type LocationSignalOptions,
  momentOf,
  observation,
  signalOptions,
} from '../../schema/observation.js';
import { readOptions } from '../../schema/option-rules.js';
import { listIssues, suggest, validate } from '../../schema/validate.js';
import { type LocationSignals, measureSignals } from './measure-signals.js';

/** With the name of the argument, so that it begins the path of each problem. */
const OPTIONS = { options: signalOptions };

/**
 * Reads the members of an observation. Other members are ignored, so that a result of `locate` or a whole report can be
 * passed. A name that looks misspelt is refused, since its value would silently be unknown.
 */
function readObservation(given: unknown, at: string, issues: ValidationIssue[]): unknown {
  if (!isRecord(given)) {
    issues.push(issue([at], given === undefined ? 'missing' : 'wrong-type', 'expected an object'));
    return undefined;
  }
  const names = Object.keys(observation.fields);
  try {
    const own = asOwnRecord(given);
    const free = names.filter((name) => !(name in own));
    for (const name of Object.keys(own)) {
      const meant = names.includes(name) ? undefined : suggest(name, free);
      if (meant) issues.push(issue([at, name], 'unknown-field', `unknown field; did you mean ${meant}?`));
    }
    const known = Object.entries(own).filter(([name]) => names.includes(name));
    const checked = validate(observation, 'strict', asOwnRecord(Object.fromEntries(known)), [at]);
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
  const first = readObservation(a, 'a', issues);
  const second = readObservation(b, 'b', issues);
  const read = readOptions('locationSignals', OPTIONS, { options });
  if (read.problem !== undefined) issues.push(...read.issues);
  if (issues.length > 0 || read.problem !== undefined)
    throw new ValidationError(`locationSignals: ${listIssues(issues)}`, { operation: 'locationSignals', issues });
  const { at, limits } = read.complete.options;
  const moment = at === undefined ? Date.now() : momentOf(at);
  return measureSignals(first as LocationObservation, second as LocationObservation, limits, moment);
}
