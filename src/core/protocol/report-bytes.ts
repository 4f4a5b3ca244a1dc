import { bareObject } from '../platform/as-record.js';
import { hasOwn, jsonOf } from '../platform/portable.js';
import { copyJson } from '../schema/copy-json.js';
import type { Location } from '../schema/location.js';

/**
 * The specification's order of fields (sections 2.1 and 2.2). Other fields come after them, in the order of their
 * schema.
 */
const REPORT = [
  'bet_id',
  'request_id',
  'amount',
  'status',
  'timestamp',
  'user',
  'win_amount',
  'payout_amount',
  'outcome',
  'ggr',
  'ur',
  'location',
] as const;
const LOCATION = ['latitude', 'longitude', 'city', 'region', 'country', 'accuracy', 'source'] as const;

/**
 * Only own members are written: a property that a library put on the prototype of all objects must not reach a report.
 */
export function reportBytes(body: object, location: Location | undefined): string {
  const whole = inOrder(
    location ? { location: inOrder(copyJson(location).value as object, LOCATION), ...body } : body,
    REPORT,
  );
  return jsonOf(whole);
}

function inOrder(given: object, names: readonly string[]): object {
  const ordered = bareObject();
  for (const name of names) if (hasOwn(given, name)) ordered[name] = (given as Record<string, unknown>)[name];
  return Object.assign(ordered, given);
}
