const LONGEST_PLACE = 200;

/** A place's name; undefined for what services write where they do not know. */
export const placeName = (value: unknown): string | undefined => {
  // Without what is no letter of a name: control characters, and half of a character that was cut in two.
  const place = typeof value === 'string' ? value.slice(0, LONGEST_PLACE).replace(/\p{C}/gu, '').trim() : '';
  return /^(?:-|n\/a|nil|null|undefined|unknown|not found)?$/i.test(place) ? undefined : place;
};

/** A coordinate that a service gives as a number or as a decimal string; NaN for anything else. */
export const coordinate = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?[0-9]+(?:\.[0-9]+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
};

const KILOMETRE = 1000;

/** Metres from the kilometres that services give; undefined where they give none. */
export const metresFromKilometres = (value: unknown): number | undefined => {
  const distance = coordinate(value);
  return distance > 0 ? distance * KILOMETRE : undefined;
};

/** Whether there is such a place; 0, 0 is one, though services write it where they do not know. */
export const isOnGlobe = (latitude: unknown, longitude: unknown): boolean =>
  typeof latitude === 'number' && typeof longitude === 'number' && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

/** What services and databases write where they do not know. */
export const isNullIsland = (latitude: unknown, longitude: unknown): boolean => latitude === 0 && longitude === 0;
