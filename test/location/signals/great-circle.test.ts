import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distanceBetween } from '../../../src/location/signals/measure-signals.js';

const point = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const HALF_WAY_ROUND = Math.PI * 6_371_008.8;

/** By the angle between two vectors from the centre: another calculation of the same number. */
function byVectors(a: { latitude: number; longitude: number }, b: typeof a): number {
  const vector = ({ latitude, longitude }: typeof a) => {
    const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
    return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)] as const;
  };
  const [[ax, ay, az], [bx, by, bz]] = [vector(a), vector(b)];
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return 6_371_008.8 * Math.atan2(cross, ax * bx + ay * by + az * bz);
}

describe('the distance between two points', () => {
  test('is the one that vectors give', () => {
    fc.assert(fc.property(point, point, (a, b) => Math.abs(distanceBetween(a, b) - byVectors(a, b)) < 1));
  });

  test('is the same both ways, zero to itself, and at most half way round', () => {
    fc.assert(
      fc.property(point, point, (a, b) => {
        const metres = distanceBetween(a, b);
        return (
          metres === distanceBetween(b, a) && distanceBetween(a, a) === 0 && metres >= 0 && metres <= HALF_WAY_ROUND
        );
      }),
    );
  });

  test('is never longer than through a third point', () => {
    fc.assert(
      fc.property(
        point,
        point,
        point,
        (a, b, c) => distanceBetween(a, c) <= distanceBetween(a, b) + distanceBetween(b, c) + 1,
      ),
    );
  });

  test.each([
    ['across the antimeridian', [0, 179.5], [0, -179.5], 111_195],
    ['from 180 degrees east to 180 degrees west', [45, 180], [45, -180], 0],
    ['from pole to pole', [90, 0], [-90, 123], HALF_WAY_ROUND],
    ['over the pole', [89.5, 0], [89.5, 180], 111_195],
    ['at the pole, for any longitude', [90, 0], [90, 77], 0],
    ['between opposite points', [10, 20], [-10, -160], HALF_WAY_ROUND],
    ['between opposite points whose rounding exceeds 1', [8, 142.3], [-8, 142.3 - 180], HALF_WAY_ROUND],
    ['from Lagos to Abuja', [6.4541, 3.3947], [9.0579, 7.4951], 534_000],
    ['from Lagos to London', [6.4541, 3.3947], [51.5074, -0.1278], 5_020_000],
  ] as const)('%s', (_where, [latitude, longitude], [toLatitude, toLongitude], metres) => {
    const found = distanceBetween({ latitude, longitude }, { latitude: toLatitude, longitude: toLongitude });
    expect(Math.abs(found - metres)).toBeLessThanOrEqual(Math.max(1, metres * 0.005));
  });
});
