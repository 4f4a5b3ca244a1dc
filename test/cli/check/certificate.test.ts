import { expect, test } from 'vitest';
import { judgeCertificate } from '../../../src/cli/check/gateway.js';

const now = Date.UTC(2026, 7, 1);

test.each([
  [90, 'ok', 'is valid for 90 more days'],
  [21, 'ok', 'is valid for 21 more days'],
  [20.9, 'warn', 'is valid for 20 more days'],
  [1, 'warn', 'is valid for 1 more day'],
])('a certificate with %d days left is %s', (days, status, text) => {
  expect(judgeCertificate(now + days * 86_400_000, now)).toMatchObject({ status, text });
});
