import { ReportingError } from '../errors/errors.js';
import { RELAY_ONLY } from '../platform/relay-only.js';
import type { Problem, Row } from './state-machine.js';

/** Without the classes, which a page has no names for: the guards go by the code. */
export function errorOf({ state, problem, operation, reference, environment, attempts, inDoubt }: Row): ReportingError {
  const { message = reference, ...details }: Partial<Problem> = problem ?? {};
  const isRelayed = RELAY_ONLY || environment === 'relay';
  const outcome = inDoubt && (!details.conflict || isRelayed) ? 'unknown' : details.code === 'damaged' ? 'not-sent' : 'rejected';
  return new ReportingError(`${message} It is ${state}.`, { ...details, operation, reference, ...(!isRelayed && { environment }), attempts, outcome });
}
