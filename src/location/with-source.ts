import type { Location, LocationInput } from '../schema/location.js';

/** Completes a location with its source, and leaves out what is not known. */
export function withSource(location: LocationInput, source: string): Location {
  const known = Object.entries(location).filter(([, value]) => value !== undefined);
  return { source, ...(Object.fromEntries(known) as LocationInput & { latitude: number; longitude: number }) } as Location;
}
