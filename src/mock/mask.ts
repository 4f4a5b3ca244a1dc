import { isRecord } from '../platform/as-record.js';
import type { Operation } from '../protocol/operations.js';
import { location } from '../schema/location.js';
import { maskPersonal } from '../schema/sent.js';

type Body = Readonly<Record<string, unknown>>;

/** A copy of a request's body that may be shown. Personal data and unknown fields are masked. */
export function maskBody(row: Operation, body: Body): unknown {
  if (row.location === 'none') return maskPersonal(row.request, body);
  const { location: given, ...rest } = body;
  return {
    ...(maskPersonal(row.request, rest) as Body),
    ...(given !== undefined && { location: maskPersonal(location, given) }),
  };
}

/** The data of a verified number identifies a person. */
export const maskAnswer = (body: unknown): unknown =>
  isRecord(body) && 'data' in body ? { ...body, data: '[masked]' } : body;

const NIN = /(?<!\d)\d{11}(?!\d)/g;

const mask = (text: string): string => text.replace(NIN, '[masked]');

/**
 * A copy for the inspector and the admin routes, in which every possible NIN is masked: in texts, numbers and member
 * names.
 */
export function maskNin(shown: unknown): unknown {
  if (typeof shown === 'string') return mask(shown);
  if (typeof shown === 'number') return mask(String(shown)) === String(shown) ? shown : '[masked]';
  if (typeof shown !== 'object' || shown === null) return shown;
  if (Array.isArray(shown)) return shown.map(maskNin);
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [mask(name), maskNin(value)]));
}
