const LONGEST_ADDRESS = 45;

/** The 16-bit groups of an address: two for IPv4, eight for IPv6. */
export type Groups = readonly number[];

export interface Address {
  readonly groups: Groups;
  /** In its usual writing; an IPv4 address mapped into IPv6 is unmapped. */
  readonly address: string;
}

function parseIPv4(text: string): Groups | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return [a * 256 + b, c * 256 + d];
}

function parseIPv6(text: string): Address | undefined {
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !text.includes(':')) return undefined;
  let address: string;
  try {
    address = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return undefined;
  }
  const [head = '', tail] = address.split('::');
  const groupsOf = (part: string) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')];
  return { groups: [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back], address };
}

const isMapped = (groups: Groups) => groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

const dotted = (groups: Groups) => groups.flatMap((group) => [group >> 8, group & 255]).join('.');

/** Reads one address. Undefined where it is none: a list, a port, a zone, a name, an octal or shortened form. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > LONGEST_ADDRESS) return undefined;
  const groups = parseIPv4(text);
  if (groups) return { groups, address: text };
  const parsed = parseIPv6(text);
  if (!parsed || !isMapped(parsed.groups)) return parsed;
  const mapped = parsed.groups.slice(6);
  return { groups: mapped, address: dotted(mapped) };
}
