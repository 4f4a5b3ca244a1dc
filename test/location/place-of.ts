import type { LocateResult, Location } from '../../src/entries/index.js';

/** What `locate` found, without how it was obtained. */
export async function placeOf(located: Promise<LocateResult>): Promise<Location> {
  const { ageMs: _age, steps: _steps, ...location } = await located;
  return location;
}
