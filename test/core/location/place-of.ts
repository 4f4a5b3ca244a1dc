import type { LocateResult, Location } from '../../../src/entries/index.js';

/** The location that `locate` found, without the members about how. */
export async function placeOf(located: Promise<LocateResult>): Promise<Location> {
  const { ageMs: _age, steps: _steps, ...location } = await located;
  return location;
}
