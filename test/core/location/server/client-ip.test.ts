import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseClientIp } from '../../../../src/core/location/server/client-ip.js';
import { sampleSize } from '../../../support/cases.js';

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();
/** Values similar to an address, mostly invalid. */
const nearly = fc
  .tuple(fc.oneof(ipv4, ipv6), fc.nat(40), fc.nat(3), fc.stringMatching(/^[0-9a-fA-FxX:.%/ [\],-]{0,4}$/))
  .map(([address, at, cut, put]) => {
    return address.slice(0, at) + put + address.slice(at + cut);
  });

/** The registries' special ranges, as the platform reads them. */
const special = new BlockList();
for (const range of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16',
  '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((ranges) => ranges.split(' '))) {
  const [start = '', size] = range.split('/');
  special.addSubnet(start, Number(size), 'ipv4');
}
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [start = '', size] = range.split('/');
  special.addSubnet(start, Number(size), 'ipv6');
}
const publicIPv6 = new BlockList();
publicIPv6.addSubnet('2000::', 3, 'ipv6');

const numbers = (address: string) => address.split('.').map(Number);

describe('clientIP', () => {
  test('is read exactly when the platform reads an address', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6, nearly, fc.string()), (text) => {
        const zoned = text.includes('%');
        expect(parseClientIp(text) !== undefined, text).toBe(isIPv4(text) || (isIPv6(text) && !zoned));
      }),
      { numRuns: sampleSize('IP addresses of each kind', 5_000) },
    );
  });

  test('of version 4 is public if no special range contains it', () => {
    const near = fc
      .tuple(
        fc.constantFrom(0, 9, 10, 11, 100, 126, 127, 128, 169, 172, 192, 198, 203, 223, 224, 239, 240, 255),
        fc.nat(255),
        fc.nat(255),
        fc.nat(255),
      )
      .map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.oneof(ipv4, near), (address) => {
        const read = parseClientIp(address);
        expect(read?.address).toBe(address);
        expect(read?.notPublic !== undefined, address).toBe(special.check(address, 'ipv4'));
      }),
      { numRuns: sampleSize('IP addresses of each kind', 5_000) },
    );
  });

  test('of version 6 is public within 2000::/3, if no special range contains it', () => {
    const near = fc
      .tuple(
        fc.constantFrom('2001', '2002', '2000', '3fff', '1fff', '4000', 'fc00', 'fe80'),
        fc.nat(0xffff),
        fc.nat(0xffff),
      )
      .map(([first, second, last]) => `${first}:${second.toString(16)}::${last.toString(16)}`);
    const plain = fc.oneof(ipv6, near).filter((address) => !/^(?:0*:|64:ff9b:)/i.test(address));
    fc.assert(
      fc.property(plain, (address) => {
        const isPublic = publicIPv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
        expect(parseClientIp(address)?.notPublic === undefined, address).toBe(isPublic);
      }),
      { numRuns: sampleSize('IP addresses of each kind', 5_000) },
    );
  });

  test.each([
    ['mapped', (address: string) => `::ffff:${address}`],
    ['mapped and written out', (address: string) => `0000:0000:0000:0000:0000:FFFF:${address}`],
    ['translated by NAT64', (address: string) => `64:ff9b::${address}`],
    [
      'mapped, in hexadecimal',
      (address: string) => {
        const [a = 0, b = 0, c = 0, d = 0] = numbers(address);
        return `::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
      },
    ],
  ])('of version 4 is the same %s', (_how, write) => {
    fc.assert(
      fc.property(ipv4, (address) => {
        expect(parseClientIp(write(address))).toEqual(parseClientIp(address));
      }),
    );
  });

  test('keeps its meaning in every spelling', () => {
    fc.assert(
      fc.property(ipv6, (address) => {
        const read = parseClientIp(address);
        expect(parseClientIp(address.toUpperCase())).toEqual(read);
        expect(parseClientIp(read?.address ?? '')).toEqual(read);
      }),
    );
  });

  test('never appears in the reason for which it is refused', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (address) => {
        const { notPublic = '' } = parseClientIp(address) ?? {};
        expect(notPublic.replace(/\(.*\)$/, '')).not.toMatch(/[0-9]\.[0-9]|:/);
      }),
    );
  });

  test.each([
    ['2002:6659:172d::1', 'a tunnel (6to4) (2002::/16)'],
    ['2001:0:6659:172d::1', 'a tunnel (Teredo) (2001::/32)'],
    ['2001:20::1', 'a protocol (2001::/23)'],
    ['64:ff9b::10.0.0.1', 'a private address (10.0.0.0/8)'],
    ['64:ff9b:1::102.89.23.45', 'a private address (64:ff9b:1::/48)'],
  ])('%s is an address of %s', (address, why) => {
    expect(parseClientIp(address)?.notPublic).toContain(why.replace(/^an? /, ''));
  });
});
