import { expect, test } from 'vitest';
import { judgeCertificate } from '../../../src/cli/check/reach.js';

const now = Date.UTC(2026, 7, 1);
const until = (days: number) => ({
  authorized: true,
  problem: 'unknown reason',
  protocol: 'TLSv1.3',
  until: now + days * 86_400_000,
});

test.each([
  [90, 'ok', /valid for 90 more days$/],
  [21, 'ok', /valid for 21 more days$/],
  [20.9, 'warn', /valid for 20 more days$/],
  [1, 'warn', /valid for 1 more day$/],
])('a certificate with %d days left is %s', (days, status, text) => {
  expect(judgeCertificate(until(days), now)).toMatchObject({ status, text: expect.stringMatching(text) });
});

test('a refused certificate fails, even if it is valid for a long time', () => {
  expect(judgeCertificate({ ...until(900), authorized: false, problem: 'CERT_REVOKED' }, now)).toMatchObject({
    status: 'fail',
  });
});
