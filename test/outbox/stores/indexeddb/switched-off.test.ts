import { afterEach, describe, expect, it, vi } from 'vitest';
import { indexedDbStore } from '../../../../src/entries/outbox-indexeddb.js';

/**
 * Storage that is switched off for a site or a frame. Chromium fails when the database is opened, Firefox at the first
 * access.
 */
const refuse = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};
const database = { open: refuse };

const PLATFORMS: [string, object][] = [
  ['opening throws', { indexedDB: database }],
  [
    'the database cannot be accessed',
    {
      get indexedDB() {
        return refuse();
      },
    },
  ],
  [
    'the navigator cannot be accessed either',
    {
      get indexedDB() {
        return refuse();
      },
      get navigator() {
        return refuse();
      },
    },
  ],
];

const SWITCHED_OFF = {
  name: 'StoreError',
  code: 'unavailable',
  message:
    "The browser's storage is switched off, or it failed. Nothing was stored. Use client.reportBetEvent instead.",
  cause: expect.objectContaining({ name: 'SecurityError' }),
};

describe('a page whose storage is switched off gets an StoreError', () => {
  const undo: (() => unknown)[] = [];
  afterEach(() => {
    for (const one of undo.splice(0)) one();
  });

  it.each(PLATFORMS)('%s', async (_, platform) => {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(platform))) {
      const before = Object.getOwnPropertyDescriptor(globalThis, name);
      Object.defineProperty(globalThis, name, { ...property, configurable: true });
      undo.push(() =>
        before ? Object.defineProperty(globalThis, name, before) : Reflect.deleteProperty(globalThis, name),
      );
    }
    await expect(indexedDbStore()).rejects.toMatchObject(SWITCHED_OFF);
    await expect(indexedDbStore({ player: 'U-1' })).rejects.toMatchObject(SWITCHED_OFF);
  });
});

describe('a page that lacks a part of the platform reports with the client instead', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['IndexedDB', { document: {} }, {}],
    ['WebCrypto', { indexedDB: database, crypto: {} }, { player: 'U-1' }],
  ])('%s', async (_, globals, options) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    const error = await indexedDbStore(options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', code: 'unavailable' });
    expect(String(error)).toContain('Use client.reportBetEvent instead.');
  });
});

it('a runtime without IndexedDB is refused', async () => {
  await expect(indexedDbStore()).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('there is no IndexedDB here'),
  });
});
