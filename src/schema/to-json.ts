import { copyJson } from './copy-json.js';
import type { Location } from './location.js';

/**
 * A validated body with its location as JSON, their own members alone: what some library put on the prototype of all objects
 * must not write a report. Nearly always there is nothing, and no copy of the body is needed.
 */
export function toJson(body: object, location: Location | undefined): string {
  const whole = location ? { ...body, location: copyJson(location).value } : body;
  return JSON.stringify('toJSON' in {} ? copyJson(whole).value : whole);
}
