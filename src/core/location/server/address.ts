import type { Refused } from '../../platform/refused.js';
import { unlessThrown } from '../../platform/unless-thrown.js';

export interface Address {
  readonly family: 4 | 6;
  /** 32 or 128 binary digits. */
  readonly bits: string;
  /** The spelling that lookup services take: the shortest form, in lower case. */
  readonly text: string;
}

const LONGEST_ADDRESS = 45;

/** Four decimal parts. Octal, hexadecimal and shortened forms are refused. */
const IPV4 = /^(?:(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])(?:\.(?!$)|$)){4}$/;

const bitsOf = (numbers: readonly number[], size: number) =>
  numbers.map((number) => number.toString(2).padStart(size, '0')).join('');

function parseIPv6(text: string): Address | undefined {
  if (text.length > LONGEST_ADDRESS || !/^[0-9a-fA-F:.]+$/.test(text) || !text.includes(':')) return undefined;
  const canonical = unlessThrown(() => new URL(`http://[${text}]/`).hostname.slice(1, -1));
  if (canonical === undefined) return undefined;
  const [front = '', back = ''] = canonical.split('::').map((part) => {
    const groups = part ? part.split(':').map((group) => Number.parseInt(group, 16)) : [];
    return bitsOf(groups, 16);
  });
  return { family: 6, bits: front + back.padStart(128 - front.length, '0'), text: canonical };
}

/**
 * The IPv4 address in the last 32 bits of an IPv6 address that starts with these bits. Any other address is returned
 * unchanged.
 */
function lastIPv4(address: Address, start: string): Address {
  if (address.family === 4 || !address.bits.startsWith(start)) return address;
  const bits = address.bits.slice(start.length);
  const text = [0, 8, 16, 24].map((at) => Number.parseInt(bits.slice(at, at + 8), 2)).join('.');
  return { family: 4, bits, text };
}

/** The bits of `::ffff:0:0/96`, into which IPv4 addresses are mapped. */
const MAPPED = '0'.repeat(80) + '1'.repeat(16);

/**
 * Extracts the IPv4 address that a translator wrote into an IPv6 address (`64:ff9b::/96`, RFC 6052): a server without
 * IPv4 sees its clients with these addresses. Any other address is returned unchanged. 6to4 and Teredo addresses also
 * contain an IPv4 address, but it belongs to the end of a tunnel.
 */
export const untranslated = (address: Address): Address => lastIPv4(address, bitsOf([0x64, 0xff9b, 0, 0, 0, 0], 16));

/**
 * Reads one address without converting it. Undefined for a list, a port, a zone, a name, or an octal or shortened form.
 */
const parseWritten = (text: string): Address | undefined =>
  IPV4.test(text) ? { family: 4, bits: bitsOf(text.split('.').map(Number), 8), text } : parseIPv6(text);

/** Like `parseWritten`, but unmaps an IPv4 address that a dual-stack socket shows as IPv6. */
export function parseAddress(text: string): Address | undefined {
  const address = parseWritten(text);
  return address && lastIPv4(address, MAPPED);
}

export interface AddressRange {
  readonly family: 4 | 6;
  /** The bits that all of its addresses start with. */
  readonly prefix: string;
}

/** For a wrong range the reason does not repeat the value. */
export function parseRange(text: string): AddressRange | Refused {
  const [, written = '', size] = /^([^/]+)(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text) ?? [];
  const start = parseWritten(written);
  if (!start) return { why: 'is not an address or a range such as 10.0.0.0/8' };
  const { family, bits } = start;
  const length = size === undefined ? bits.length : Number(size);
  if (length > bits.length) return { why: `has a prefix of more than ${bits.length} bits` };
  if (length === 0) return { why: 'contains every address' };
  if (bits.slice(length).includes('1'))
    return {
      why: 'has bits set beyond its prefix; write its first address, or leave the prefix out for one address',
    };
  const prefix = bits.slice(0, length);
  return family === 6 && prefix.startsWith(MAPPED) && prefix !== MAPPED
    ? { family: 4, prefix: prefix.slice(MAPPED.length) }
    : { family, prefix };
}

/** Reads a range written in this package, which is valid. */
export function rangeOf(text: string): AddressRange {
  const range = parseRange(text);
  if ('why' in range) throw new RangeError(range.why);
  return range;
}

export const findRange = <Range extends AddressRange>(
  { family, bits }: Address,
  ranges: readonly Range[],
): Range | undefined => ranges.find((range) => range.family === family && bits.startsWith(range.prefix));
