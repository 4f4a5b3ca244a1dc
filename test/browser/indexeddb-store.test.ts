// @module-tag slow: the contract of every store, in Chromium.
import { createHash, randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { storeContract } from '../outbox/contract/contract.js';
import { test } from './browser-test.js';
import { connectChromium } from './connect-chromium.js';
import { bundlePage } from './outbox-script.js';
import { servePages } from './page-server.js';

declare const OutboxPage: typeof import('./outbox-page.js').OutboxPage;

let script: string;
beforeAll(async () => {
  script = await bundlePage('outbox-page.ts');
});

async function openPage(page: Page, url: string): Promise<Page> {
  await page.goto(`${url}/empty`);
  await page.addScriptTag({ content: script });
  return page;
}

describe('the IndexedDB store in a page', () => {
  // Each case has its own database, so they share a page: opening one takes longer than most cases.
  let page: Page;
  const closing: (() => Promise<void>)[] = [];
  const uncaught: Error[] = [];
  beforeAll(async () => {
    const browser = await connectChromium();
    closing.push(() => browser.close());
    const site = await servePages([]);
    closing.push(() => site.close());
    page = await openPage(await browser.newPage(), site.url);
    page.on('pageerror', (error) => uncaught.push(error));
  });
  afterEach(() => expect(uncaught.splice(0)).toEqual([]));
  afterAll(async () => void (await Promise.all(closing.map((close) => close()))));

  it.for(storeContract.map(({ name }, index) => [name, index] as const))('%s', async ([, index]) => {
    await page.evaluate((index) => OutboxPage.runCase(index), index);
  });
});

const GATEWAY = 'https://gateway.example.com';
const BET = {
  account: 'default',
  gateway: GATEWAY,
  environment: 'staging',
  operation: 'reportBetEvent',
  waitsFor: undefined,
  fingerprint: 'print',
} as const;
const bet = (reference: string, body = '{}') => ({
  ...BET,
  id: `default:staging:reportBetEvent:${reference}`,
  reference,
  body,
});

/** Chromium compresses its stored data. */
const incompressible = (length: number) => randomBytes(length / 2).toString('hex');

describe('a connection to IndexedDB', () => {
  test('that is lost is opened again, and the committed data is there', async ({ page, site }) => {
    await openPage(page, site.url);
    const seen = await page.evaluate(
      async (rows) => {
        const opened: IDBDatabase[] = [];
        const { open } = IDBFactory.prototype;
        IDBFactory.prototype.open = function (...given) {
          const request = open.apply(this, given);
          request.addEventListener('success', () => opened.push(request.result));
          return request;
        };
        const store = await OutboxPage.indexedDbStore();
        await store.enqueue(rows.slice(0, 1));
        opened.at(-1)?.close();
        const [second] = await Promise.all([store.enqueue(rows.slice(1)), store.counts(), store.outlook()]);
        return {
          added: second[0]?.added,
          opened: opened.length,
          references: (await store.list({ limit: 10 })).map(({ reference }) => reference),
        };
      },
      [bet('B-1'), bet('B-2')],
    );
    expect(seen).toEqual({ added: true, opened: 2, references: ['B-1', 'B-2'] });
  });

  test('that the browser closes, since the data was cleared, is opened again', async ({ context, page, site }) => {
    await openPage(page, site.url);
    const cdp = await context.newCDPSession(page);
    await page.evaluate(async (row) => {
      const store = await OutboxPage.indexedDbStore();
      await store.enqueue([row]);
      Object.assign(window, { store });
    }, bet('B-1'));
    await cdp.send('Storage.clearDataForOrigin', { origin: site.url, storageTypes: 'indexeddb' });
    const counts = () =>
      page.evaluate(() =>
        (window as unknown as { store: Awaited<ReturnType<typeof OutboxPage.indexedDbStore>> }).store.counts(),
      );
    await expect.poll(async () => (await counts()).states.waiting).toBe(0);
  });

  test('gives way to a newer version in another tab, and then does not change its data', async ({
    context,
    page,
    site,
  }) => {
    await openPage(page, site.url);
    await page.evaluate(async (row) => {
      const store = await OutboxPage.indexedDbStore();
      await store.enqueue([row]);
      Object.assign(window, { store });
    }, bet('B-1'));
    const newer = await openPage(await context.newPage(), site.url);
    const upgrade = () =>
      new Promise<number>((resolve, reject) => {
        const request = indexedDB.open('location-sdk-outbox', 4);
        request.onblocked = () => reject(new Error('blocked'));
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const count = request.result.transaction('rows').objectStore('rows').count();
          count.onsuccess = () => resolve(count.result);
          request.result.onversionchange = null;
          request.result.close();
        };
      });
    expect(await newer.evaluate(upgrade)).toBe(1);
    const codes = await page.evaluate(async (row) => {
      const { store } = window as unknown as { store: Awaited<ReturnType<typeof OutboxPage.indexedDbStore>> };
      const code = (error: { code: string; message: string }) => `${error.code}: ${error.message}`;
      return [await store.enqueue([row]).catch(code), await OutboxPage.indexedDbStore().catch(code)];
    }, bet('B-2'));
    for (const code of codes) expect(code).toMatch(/^newer: .*newer version/);
    expect(await newer.evaluate(upgrade)).toBe(1);
  });

  test('refuses a database of an older version, and does not change it', async ({ page, site }) => {
    await openPage(page, site.url);
    const seen = await page.evaluate(async () => {
      const open = () =>
        new Promise<{ version: number; tables: string[] }>((resolve, reject) => {
          const request = indexedDB.open('location-sdk-outbox', 1);
          request.onupgradeneeded = () => request.result.createObjectStore('old');
          request.onerror = () => reject(request.error);
          request.onsuccess = () => {
            const { version, objectStoreNames } = request.result;
            request.result.close();
            resolve({ version, tables: [...objectStoreNames] });
          };
        });
      await open();
      const refused = await OutboxPage.indexedDbStore().catch(
        ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
      );
      return [refused, await open()];
    });
    expect(seen).toEqual([expect.stringMatching(/^older: .*another name/), { version: 1, tables: ['old'] }]);
  });

  test('that never opens, or never answers, times out; the next one may answer', async ({ page, site }) => {
    await openPage(page, site.url);
    const seen = await page.evaluate(async (row) => {
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = () => Object.create(null);
      const code = (error: { code: string }) => error.code;
      const first = await OutboxPage.indexedDbStore({ timeoutMs: 50 }).catch(code);
      IDBFactory.prototype.open = open;
      const store = await OutboxPage.indexedDbStore({ timeoutMs: 500 });
      // A transaction of another script that does not end.
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open('location-sdk-outbox');
        request.onsuccess = () => resolve(request.result);
      });
      let busy = true;
      const transaction = database.transaction('rows', 'readwrite');
      const goOn = () => {
        if (busy) transaction.objectStore('rows').get('x').onsuccess = goOn;
      };
      goOn();
      const second = await store.enqueue([row]).catch(code);
      busy = false;
      const [third] = await store.enqueue([row]);
      return { first, second, third: third?.added };
    }, bet('B-1'));
    // The late one was rolled back: otherwise it could not be added.
    expect(seen).toEqual({ first: 'timeout', second: 'timeout', third: true });
  });

  test('that was closed says so', async ({ page, site }) => {
    await openPage(page, site.url);
    const error = await page.evaluate(async () => {
      const store = await OutboxPage.indexedDbStore();
      await store.close?.();
      return store.counts().catch(({ code, message }: { code: string; message: string }) => ({ code, message }));
    });
    expect(error).toEqual({ code: 'closed', message: 'The store is closed.' });
  });
});

describe("the browser's promise to keep the data", () => {
  test('is requested once, and no call waits for it', async ({ page, site }) => {
    await openPage(page, site.url);
    const seen = await page.evaluate(async () => {
      const asked: string[] = [];
      const storeOf = (name: string, promised: boolean | undefined, persist?: boolean) => {
        const storage = {
          persisted: async () => promised === true,
          persist: () => {
            asked.push(name);
            return promised === undefined ? new Promise(() => {}) : Promise.resolve(true);
          },
        };
        Object.defineProperty(navigator, 'storage', { configurable: true, value: storage });
        return OutboxPage.indexedDbStore({ persist, timeoutMs: 5_000 });
      };
      const granted = await storeOf('granted later', false);
      const durable = [
        (await storeOf('promised', true)).durable,
        (await storeOf('silent', undefined)).durable,
        (await storeOf('not asked', false, false)).durable,
      ];
      return { asked, durable, granted: granted.durable };
    });
    expect(seen).toEqual({ asked: ['granted later', 'silent'], durable: [true, false, false], granted: true });
  });
});

describe('the IndexedDB store', () => {
  // Killing a process does not test it: data that the operating system has taken over survives the browser, but not an
  // empty battery.
  test('asks for every write to be on the disk before it is acknowledged', async ({ page, site }) => {
    await openPage(page, site.url);
    const durabilities = await page.evaluate(async (row) => {
      const seen = new Set<string>();
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (...given) {
        const made = transaction.apply(this, given);
        if (made.mode === 'readwrite') seen.add(made.durability);
        return made;
      };
      const store = await OutboxPage.indexedDbStore();
      await store.enqueue([row]);
      await store.turn({
        writes: [],
        claim: {
          accounts: [{ account: row.account, gateways: { staging: row.gateway }, busy: 0 }],
          limit: 1,
          leaseMs: 1_000,
        },
      });
      return [...seen];
    }, bet('B-1'));
    expect(durabilities).toEqual(['strict']);
  });

  test('has a database for each player, named with a hash, and for each given name', async ({ page, site }) => {
    await openPage(page, site.url);
    const names = await page.evaluate(async () => {
      for (const options of [{ player: 'U-1' }, { player: 'U-2' }, { player: 'U-1', name: 'test' }])
        await OutboxPage.indexedDbStore(options);
      return (await indexedDB.databases()).map(({ name }) => name);
    });
    const hashOf = (player: string) => createHash('sha256').update(`location-sdk player ${player}`).digest('hex');
    expect(names.sort()).toEqual(
      [`location-sdk-outbox ${hashOf('U-1')}`, `location-sdk-outbox ${hashOf('U-2')}`, `test ${hashOf('U-1')}`].sort(),
    );
  });

  test('lists the problems of its options, and does not write in other transactions', async ({ page, site }) => {
    await openPage(page, site.url);
    const messages = await page.evaluate(async (row) => {
      const message = (error: Error) => `${error.name}: ${error.message}`;
      const wrong = { name: '', timeoutMs: -1, persist: 'yes' } as never;
      const store = await OutboxPage.indexedDbStore();
      return [
        await OutboxPage.indexedDbStore(wrong).catch(message),
        await store.enqueue([row], {}).catch(message),
        (await store.counts()).states.waiting,
      ];
    }, bet('B-1'));
    for (const part of ['ConfigurationError', 'name:', 'timeoutMs:', 'persist:']) expect(messages[0]).toContain(part);
    expect(messages[1]).toBe('ConfigurationError: A page has no transactions.');
    expect(messages[2]).toBe(0);
  });

  test('refuses data that exceeds the storage, keeps the accepted data, and continues once there is space', async ({
    context,
    page,
    site,
  }) => {
    await openPage(page, site.url);
    const cdp = await context.newCDPSession(page);
    // Done before the database is used: the browser caches the free space for a while. An empty database takes about 75
    // kB in newer Chromiums.
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize: 250_000 });
    await page.evaluate(async (row) => {
      const store = await OutboxPage.indexedDbStore();
      await store.enqueue([row]);
      Object.assign(window, { store });
    }, bet('B-1'));
    const add = (row: ReturnType<typeof bet>) =>
      page.evaluate(async (row) => {
        const { store } = window as unknown as { store: Awaited<ReturnType<typeof OutboxPage.indexedDbStore>> };
        const ended = await store.enqueue([row]).then(
          ([one]) => one?.added,
          (error) => `${error.name} ${error.code}: ${error.message}`,
        );
        return {
          ended,
          references: (await store.list({ limit: 10 })).map(({ reference }) => reference),
          waiting: (await store.counts()).states.waiting,
        };
      }, row);
    const large = bet('B-2', incompressible(500_000));
    const refused = await add(large);
    expect(refused).toMatchObject({ references: ['B-1'], waiting: 1 });
    expect(refused.ended).toMatch(/^StoreError full: .*full/);
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: site.url });
    expect(await add(large)).toEqual({ ended: true, references: ['B-1', 'B-2'], waiting: 2 });
  });
});
