import { type Address, parseWritten } from './address.js';

/** A range of addresses, such as `10.0.0.0/8`. */
export interface AddressRange {
  readonly family: 4 | 6;
  /** The bits that all of its addresses start with. */
  readonly prefix: string;
}

const bitsOf = ({ groups }: Address) => groups.map((group) => group.toString(2).padStart(16, '0')).join('');
const familyOf = ({ groups }: Address) => (groups.length === 2 ? 4 : 6);

/** The bits of `::ffff:0:0/96`, into which IPv4 addresses are mapped. */
const MAPPED = `${'0'.repeat(80)}${'1'.repeat(16)}`;

/** Reads a range or a single address. For a wrong one it returns the problem, without repeating the value. */
export function parseRange(text: string): AddressRange | { readonly problem: string } {
  const [, written = '', size] = /^([^/]+)(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text) ?? [];
  const start = parseWritten(written);
  if (!start) return { problem: 'is not an address or a range such as 10.0.0.0/8' };
  const bits = bitsOf(start);
  const length = size === undefined ? bits.length : Number(size);
  if (length > bits.length) return { problem: `has a prefix of more than ${bits.length} bits` };
  if (length === 0) return { problem: 'contains every address' };
  if (bits.slice(length).includes('1')) return { problem: 'has bits set beyond its prefix; write its first address, or leave the prefix out for one address' };
  const prefix = bits.slice(0, length);
  return prefix.startsWith(MAPPED) && prefix !== MAPPED && familyOf(start) === 6
    ? { family: 4, prefix: prefix.slice(MAPPED.length) }
    : { family: familyOf(start), prefix };
}

/** Reads a range written in this package, which is valid. */
export function rangeOf(text: string): AddressRange {
  const range = parseRange(text);
  if ('problem' in range) throw new RangeError(range.problem);
  return range;
}

/** The first range that contains the address. */
export function findRange<Range extends AddressRange>(address: Address, ranges: readonly Range[]): Range | undefined {
  const [family, bits] = [familyOf(address), bitsOf(address)];
  return ranges.find((range) => range.family === family && bits.startsWith(range.prefix));
}
