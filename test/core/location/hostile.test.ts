import { expect, test } from 'vitest';
import { placeName } from '../../../src/core/location/read-place.js';
import { parseClientIp } from '../../../src/core/location/server/client-ip.js';

test.each([
  ['64:ff9b::10.0.0.1', 'private'],
  ['::10.0.0.1', 'outside 2000::/3'],
  ['fec0::1', 'site-local'],
  ['2002:a00:1::', '6to4'],
  ['5f00::1', 'outside 2000::/3'],
  ['3fff::1', 'documentation'],
  ['2001:0:1::1', 'Teredo'],
  ['192.88.99.1', 'reserved'],
])('%s is not public', (address, why) => {
  expect(parseClientIp(address)?.notPublic).toContain(why);
});

test.each(['8.8.8.8', '2a00:1450:4001:81b::200e', '2606:4700::1111'])('%s is public', (address) => {
  expect(parseClientIp(address)).toEqual({ address, notPublic: undefined });
});

test('a very long clientIP is refused without being parsed', () => {
  expect(parseClientIp(`${':'.repeat(1_000_000)}!`)).toBeUndefined();
});

test('a very long place is cut before its blank end is searched', () => {
  expect(placeName(`${' '.repeat(1_000_000)}x`)).toBeUndefined();
  expect(placeName('x'.repeat(1_000))).toHaveLength(200);
});
