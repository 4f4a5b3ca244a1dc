import { finite, latitude, longitude, personal, text } from './fields.js';
import { model } from './model.js';

/** A location that a caller passes as a parameter. Without a `source` it is sent as `'provided'` (our decision). */
export interface LocationInput {
  /** Degrees, -90 to 90. */
  latitude: number;
  /** Degrees, -180 to 180. */
  longitude: number;
  /** Name of the city or town. */
  city?: string | undefined;
  /** Name of the state or region. */
  region?: string | undefined;
  /** Two-letter code or name of the country, as the source gives it. */
  country?: string | undefined;
  /** Metres. Left out if the source does not give it. */
  accuracy?: number | undefined;
  /** The source of the location: `'gps'`, `'ip'`, `'client_ip'`, `'provided'`, or the operator's own word. */
  source?: string | undefined;
}

/** A location as it is sent (specification, section 2.2). */
export interface Location extends LocationInput {
  source: string;
}

const coordinates = {
  latitude: personal(latitude()),
  longitude: personal(longitude()),
};

const details = {
  city: personal(text()),
  region: personal(text()),
  country: personal(text()),
  accuracy: personal(finite()),
};

/** Specification, section 2.2. Zero is a value: the equator and the prime meridian are places. */
export const location = model({ ...coordinates, source: text() }, details);

export const locationInput = model(coordinates, { ...details, source: text() });
