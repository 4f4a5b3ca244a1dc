import { isRecord } from '../../platform/as-record.js';
import { unlessThrown } from '../../platform/unless-thrown.js';
import { type Location, location } from '../../schema/location.js';
import { validate } from '../../schema/validate.js';

/** The value of an own member. A getter is not run. */
const ownValue = (from: object, name: string): unknown => Object.getOwnPropertyDescriptor(from, name)?.value;

/**
 * Reads the location that your page or app sent to your own route, for a report from your backend. It takes the result
 * of `locate()`, or `{ latitude, longitude, accuracy }` of an app: degrees, within the bounds of the location, and
 * metres. It gives these with `source: 'gps'`. Everything else that the page sent is left out, such as the name of a
 * city.
 *
 * Undefined for any other value, so that `clientIP` is looked up: no object, a coordinate that is not a number or is out
 * of bounds, a negative accuracy (with which iOS marks a position that is not valid), a `source` that is not `'gps'`.
 * Never throws, and shows no value. A player can forge the position of a device: this checks its form only.
 *
 * @example
 * ```ts
 * const location = pageLocation(body.location);
 * await outbox.within(tx).reportBetEvent(bet, { location, clientIP });
 * ```
 */
export const pageLocation = (value: unknown): Location | undefined =>
  unlessThrown(() => {
    if (!isRecord(value)) return undefined;
    const source = ownValue(value, 'source') ?? 'gps';
    const accuracy = ownValue(value, 'accuracy') ?? undefined;
    if (source !== 'gps' || Number(accuracy) < 0) return undefined;
    const coordinates = { latitude: ownValue(value, 'latitude'), longitude: ownValue(value, 'longitude') };
    const known = { ...coordinates, ...(accuracy !== undefined && { accuracy }), source };
    return validate(location, 'strict', known).value as Location | undefined;
  });
