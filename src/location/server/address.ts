import { unlessThrown } from '../../platform/as-record.js';

/** An IP address, parsed from any of its spellings. */
export interface Address {
  /** Its 16-bit groups: two for IPv4, eight for IPv6. */
  readonly groups: readonly number[];
  /** The spelling that lookup services take: the shortest form, in lower case. */
  readonly text: string;
}

const LONGEST_ADDRESS = 45;

/** Four decimal parts. Octal, hexadecimal and shortened forms are refused. */
const IPV4 = /^(?:(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])(?:\.(?!$)|$)){4}$/;

function parseIPv4(text: string): Address | undefined {
  if (!IPV4.test(text)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return { groups: [a * 256 + b, c * 256 + d], text };
}

function parseIPv6(text: string): Address | undefined {
  if (text.length > LONGEST_ADDRESS || !/^[0-9a-fA-F:.]+$/.test(text) || !text.includes(':')) return undefined;
  const canonical = unlessThrown(() => new URL(`http://[${text}]/`).hostname.slice(1, -1));
  if (canonical === undefined) return undefined;
  const [head = '', tail = ''] = canonical.split('::');
  const groups = (part: string) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [front, back] = [groups(head), groups(tail)];
  return { groups: [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back], text: canonical };
}

/** The IPv4 address in the last 32 bits of an IPv6 address. */
function lastIPv4({ groups }: Address): Address {
  const last = groups.slice(6);
  return { groups: last, text: last.flatMap((group) => [group >> 8, group & 255]).join('.') };
}

const startsWith = ({ groups }: Address, start: readonly number[]) =>
  groups.length === 8 && start.every((group, index) => groups[index] === group);

/** Unmaps an IPv4 address mapped into IPv6 (`::ffff:0:0/96`). Any other address is returned unchanged. */
const unmapped = (address: Address) => (startsWith(address, [0, 0, 0, 0, 0, 0xffff]) ? lastIPv4(address) : address);

/**
 * Extracts the IPv4 address that a translator wrote into an IPv6 address (`64:ff9b::/96`, RFC 6052): a server without
 * IPv4 sees its clients with these addresses. Any other address is returned unchanged. 6to4 and Teredo addresses also
 * contain an IPv4 address, but it belongs to the end of a tunnel.
 */
export const untranslated = (address: Address): Address =>
  startsWith(address, [0x64, 0xff9b, 0, 0, 0, 0]) ? lastIPv4(address) : address;

/**
 * Reads one address without converting it. Undefined for a list, a port, a zone, a name, or an octal or shortened form.
 */
const parseWritten = (text: string): Address | undefined => parseIPv4(text) ?? parseIPv6(text);

/** Like `parseWritten`, but unmaps an IPv4 address that a dual-stack socket shows as IPv6. */
export function parseAddress(text: string): Address | undefined {
  const address = parseWritten(text);
  return address && unmapped(address);
}

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
  if (bits.slice(length).includes('1'))
    return {
      problem: 'has bits set beyond its prefix; write its first address, or leave the prefix out for one address',
    };
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
