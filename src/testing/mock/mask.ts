import { isRecord } from '../../core/platform/as-record.js';
import { MASK } from '../../core/platform/messages.js';
import { type Operation, operations } from '../../core/protocol/operations.js';
import { location } from '../../core/schema/location.js';
import { isIdentifier, maskPersonal } from '../../core/schema/sent.js';
import type { RequestBody } from './apply.js';

/** Personal data and unknown fields are masked. */
export function maskBody(row: Operation, body: RequestBody): unknown {
  if (row.location === 'none') return maskPersonal(row.request, body);
  const { location: given, ...rest } = body;
  return {
    ...(maskPersonal(row.request, rest) as RequestBody),
    ...(given !== undefined && { location: maskPersonal(location, given) }),
  };
}

/** The data of a verified number identifies a person. */
export const maskAnswer = (body: unknown): unknown =>
  isRecord(body) && 'data' in body ? { ...body, data: MASK } : body;

const NIN = /(?<!\d)\d{11}(?!\d)/g;

const mask = (text: string): string => text.replace(NIN, MASK);

/** The members that are compared as they are: identifiers of reports, and the random one of the gateway's state. */
const SHOWN: ReadonlySet<string> = new Set([
  'reference',
  'era',
  ...Object.values(operations).flatMap(({ request: { fields } }: Operation) =>
    Object.keys(fields).filter((name) => isIdentifier(fields[name])),
  ),
]);

/**
 * A copy for the inspector and the admin routes, in which every possible NIN is masked: in texts, numbers and member
 * names, but not in identifiers of reports. One in 240 random UUIDs has eleven digits in a row.
 */
export function maskNin(shown: unknown): unknown {
  if (typeof shown === 'string') return mask(shown);
  if (typeof shown === 'number') return mask(String(shown)) === String(shown) ? shown : MASK;
  if (typeof shown !== 'object' || shown === null) return shown;
  if (Array.isArray(shown)) return shown.map(maskNin);
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) =>
      SHOWN.has(name) && typeof value === 'string' ? [name, value] : [mask(name), maskNin(value)],
    ),
  );
}
