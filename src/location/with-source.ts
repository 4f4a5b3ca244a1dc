import type { Location, LocationInput } from '../schema/location.js';

/** Adds the source to a location, and leaves out unknown values. */
export function withSource(location: LocationInput, source: string): Location {
  const known = Object.entries(location).filter(([, value]) => value !== undefined);
  return { source, ...(Object.fromEntries(known) as LocationInput & { latitude: number; longitude: number }) } as Location;
}
