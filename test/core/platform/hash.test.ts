import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { hmacSha256, MUST_BE_EXTRACTABLE, sha256 } from '../../../src/core/platform/hash.js';

afterEach(() => {
  vi.doUnmock('../../../src/core/platform/native-crypto.js');
  vi.resetModules();
});

const key = () =>
  crypto.subtle.importKey('raw', new TextEncoder().encode('k'.repeat(32)), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);

async function withoutNative(): Promise<typeof import('../../../src/core/platform/hash.js')> {
  vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
  vi.resetModules();
  return import('../../../src/core/platform/hash.js');
}

test('the hashing of the runtime and that of WebCrypto agree on any text', async () => {
  const portable = await withoutNative();
  expect(MUST_BE_EXTRACTABLE).toBe(true);
  expect(portable.MUST_BE_EXTRACTABLE).toBe(false);
  const secret = await key();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      ),
      async (text) => {
        expect(await sha256(text)).toBe(await portable.sha256(text));
        expect(await hmacSha256(secret, text)).toBe(await portable.hmacSha256(secret, text));
      },
    ),
  );
});

test('hashes are those of the standard', async () => {
  expect(await sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const jefe = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode('Jefe'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  expect(await hmacSha256(jefe, 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
