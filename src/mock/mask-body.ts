import type { Operation } from '../protocol/operations.js';
import { location } from '../schema/location.js';
import { maskPersonal } from '../schema/mask-personal.js';

type Body = Readonly<Record<string, unknown>>;

/** A copy of a request's body that may be shown. Personal data and unknown fields are masked. */
export function maskBody(row: Operation, body: Body): unknown {
  if (row.location === 'none') return maskPersonal(row.request, body);
  const { location: given, ...rest } = body;
  return { ...(maskPersonal(row.request, rest) as Body), ...(given !== undefined && { location: maskPersonal(location, given) }) };
}

/** The data of a verified number identifies a person. */
export const maskAnswer = (body: unknown): unknown => (typeof body === 'object' && body !== null && 'data' in body ? { ...body, data: '[masked]' } : body);
