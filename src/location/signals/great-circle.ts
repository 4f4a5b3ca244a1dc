export interface Point {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

/** The mean radius of the earth, in metres. */
const EARTH_RADIUS = 6_371_008.8;

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The distance along the surface, in metres (haversine formula on a sphere). The earth is not a sphere: the error is 0.6 % at most. */
export function distanceBetween(a: Point, b: Point): number {
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const chord = half(a.latitude, b.latitude) + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  // Rounding can make it slightly more than 1 between opposite points.
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(Math.min(1, chord)));
}
