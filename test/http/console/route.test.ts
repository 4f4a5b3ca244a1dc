import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { routeOf } from '../../../src/http/console/admit.js';
import { consoleWorld, opening, SITE } from './world.js';

describe('wherever it is mounted', () => {
  test.each(['/', '/console', '/console/', '/ops/outbox/console', '/ops/outbox/console/', '/~ada/console'])(
    'the page at %s finds its files and calls',
    (path) => {
      const route = routeOf(`${SITE}${path}`);
      const base = new URL(route?.kind === 'page' ? route.base : 'nowhere', `${SITE}${path}`);
      expect(routeOf(new URL('console.js', base).href)).toEqual({ kind: 'file', name: 'console.js' });
      expect(routeOf(new URL('api/overview', base).href)).toEqual({ kind: 'call', name: 'overview' });
      expect(base.pathname).toBe(path.endsWith('/') ? path : `${path}/`);
    },
  );

  // Express takes the mount point from the address, and gives the whole path apart.
  test.each([
    ['/', '/console', './console/'],
    ['/', '/console/', './'],
    ['/', 'https://ops.example/console', './console/'],
  ])('an address %s that was asked for as %s has the base %s', (url, target, base) => {
    expect(routeOf(`${SITE}${url}`, target)).toEqual({ kind: 'page', base });
  });

  test.each([
    '/console/../admin',
    '/console/%2e%2e/admin',
    '/console\\..\\admin',
    '//evil.example/console',
    '/console?x=1',
    '/console;x=1',
    '/a"b',
    "/a'b",
  ])('a path that could be read in two ways is none: %s', (target) => {
    expect(routeOf(`${SITE}/console`, target)).toBeUndefined();
  });

  test('the page says where its files are, each with the hash of what is given', async () => {
    const { send } = consoleWorld();
    const { text } = await send(opening({ url: `${SITE}/ops/console` }));
    for (const name of ['console.js', 'console.css']) {
      const [, hash = ''] =
        new RegExp(`"\\./console/${name.replace('.', '\\.')}" integrity="sha256-([^"]+)"`).exec(text) ?? [];
      const file = await send({ url: `${SITE}/ops/console/${name}`, method: 'GET' });
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(file.text));
      expect(hash).toBe(Buffer.from(digest).toString('base64'));
      expect(file.headers.get('etag')).toBe(`"sha256-${hash}"`);
    }
  });
});

test('the page, its script and its style are smaller than 32 kB together', async () => {
  const { send } = consoleWorld();
  const files = ['', '/console.js', '/console.css', '/console.svg'].map((name) =>
    send(opening({ url: `${SITE}/console${name}`, headers: { 'sec-fetch-dest': 'document' } })),
  );
  const sizes = (await Promise.all(files)).map(({ status, text }) =>
    status === 200 ? gzipSync(text, { level: 9 }).byteLength : Number.POSITIVE_INFINITY,
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(32_000);
});
