const LONGEST_PLACE = 200;

/** Undefined for the values that services write for an unknown name. */
export const placeName = (value: unknown): string | undefined => {
  // Removes control characters, and half of a surrogate pair that was cut in two.
  const place = typeof value === 'string' ? value.slice(0, LONGEST_PLACE).replace(/\p{C}/gu, '').trim() : '';
  return /^(?:-|n\/a|nil|null|undefined|unknown|not found)?$/i.test(place) ? undefined : place;
};

/** A coordinate that a service gives as a number or as a decimal string. NaN for any other value. */
export const coordinate = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?[0-9]+(?:\.[0-9]+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
};

const KILOMETRE = 1000;

/** Undefined if the service gives none. */
export const metresFromKilometres = (value: unknown): number | undefined => {
  const distance = coordinate(value);
  return distance > 0 ? distance * KILOMETRE : undefined;
};

interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

export const isOnGlobe = (place: { readonly [Name in keyof Point]?: unknown }): place is Point =>
  typeof place.latitude === 'number' &&
  typeof place.longitude === 'number' &&
  Math.abs(place.latitude) <= 90 &&
  Math.abs(place.longitude) <= 180;

/** As `isOnGlobe`, without 0, 0, which services and databases write for an unknown place. */
export const isKnownPlace = (place: Parameters<typeof isOnGlobe>[0]): place is Point =>
  isOnGlobe(place) && !(place.latitude === 0 && place.longitude === 0);
