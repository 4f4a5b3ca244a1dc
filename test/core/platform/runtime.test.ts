import { expect, it, vi } from 'vitest';
import { isBrowser } from '../../../src/core/platform/runtime.js';

/** The result with these globals, which are there for no longer than this call. */
function isBrowserWith(globals: Record<string, unknown>): boolean {
  try {
    for (const [name, value] of Object.entries({ WorkerGlobalScope: undefined, ...globals }))
      vi.stubGlobal(name, value);
    return isBrowser();
  } finally {
    vi.unstubAllGlobals();
  }
}

/** The globals of a worker. */
const worker = (userAgent: string) => ({ WorkerGlobalScope: class {}, navigator: { userAgent } });

it.each<[string, Record<string, unknown>, boolean]>([
  ['a document, as of jsdom and happy-dom', { document: {} }, true],
  [
    'a worker of a page',
    worker('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36'),
    true,
  ],
  ['a worker of Cloudflare', worker('Cloudflare-Workers'), false],
  ['a worker of Deno', worker('Deno/2.5.6'), false],
  ['a worker of Bun', worker('Bun/1.3.1'), false],
  ['Node.js, with the user agent of a browser', { navigator: worker('Mozilla/5.0').navigator }, false],
  ['Node.js', {}, false],
])('%s, browser or not: %j', (_, globals, expected) => {
  expect(isBrowserWith(globals)).toBe(expected);
});
