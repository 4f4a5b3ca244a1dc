import type * as z from 'zod/mini';
import { amount, latitude, longitude, personal, text } from './fields.js';
import { model } from './model.js';

const coordinates = {
  /** Degrees, -90 to 90. */
  latitude: personal(latitude()),
  /** Degrees, -180 to 180. */
  longitude: personal(longitude()),
};

/** Where the location comes from: `'gps'`, `'ip'`, `'client_ip'`, `'provided'`, or the operator's own word. */
const source = text();

const details = {
  city: personal(text()),
  region: personal(text()),
  country: personal(text()),
  /** Metres; left out where the source does not say. */
  accuracy: personal(amount()),
};

/** Specification, section 2.2. Zero is a value: the equator and the prime meridian are places. */
export const location = model({ ...coordinates, source }, details);

/** A location that a caller passes as a parameter: without a source it is sent as `'provided'` (our decision). */
export const locationInput = model(coordinates, { ...details, source });

export type Location = z.output<typeof location.strict>;
export type LocationInput = z.output<typeof locationInput.strict>;
