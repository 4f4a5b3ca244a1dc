import type { Browser, CDPSession } from 'playwright-core';
import { POSITION } from './geolocation.js';

export interface Tab {
  /** The value of an expression, once it is settled. */
  evaluate<T>(expression: string): Promise<T>;
  setGeolocationPermission(setting: 'granted' | 'denied' | 'prompt'): Promise<void>;
  /**
   * Opens another tab in front of it. Returns whether the browser itself hides it then. The Chromium from npm does not:
   * there the page is only told so.
   */
  hide(): Promise<boolean>;
  /** Brings it to the front again. */
  show(): Promise<void>;
}

/**
 * Opens a page in a tab that can really be hidden. Playwright makes its own pages always visible, so this one is opened
 * by the browser's own protocol.
 */
export async function openTab(browser: Browser, url: string): Promise<Tab> {
  const session = await browser.newBrowserCDPSession();
  const { browserContextId } = await session.send('Target.createBrowserContext', { disposeOnDetach: true });
  const { targetId } = await session.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const send = await attach(session, targetId);
  const { product } = await session.send('Browser.getVersion');
  const { origin } = new URL(url);

  async function evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await send<Evaluated>('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value as T;
  }
  /** Whether it becomes true within a few seconds. */
  async function comesTrue(expression: string): Promise<boolean> {
    for (let tries = 0; tries < 150; tries += 1) {
      if (await evaluate(expression)) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return false;
  }

  let isTold = false;
  const tell = (visibility: string) =>
    evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${visibility}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    );

  await send('Emulation.setGeolocationOverride', POSITION);
  await send('Page.navigate', { url });
  const loaded = await comesTrue(
    `location.href.startsWith(${JSON.stringify(url)}) && document.readyState === 'complete'`,
  );
  if (!loaded) throw new Error(`${url} was not loaded`);
  return {
    evaluate,
    async setGeolocationPermission(setting) {
      await session.send('Browser.setPermission', {
        permission: { name: 'geolocation' },
        setting,
        origin,
        browserContextId,
      });
    },
    async hide() {
      const front = await session.send('Target.createTarget', { url: 'about:blank', browserContextId });
      await session.send('Target.activateTarget', { targetId: front.targetId });
      // A Chromium without windows (the one from npm) never hides a tab: there the page is only told so.
      const isHidden =
        !product.startsWith('HeadlessChrome/') && (await comesTrue("document.visibilityState === 'hidden'"));
      isTold = !isHidden;
      if (isTold) await tell('hidden');
      return isHidden;
    },
    async show() {
      await session.send('Target.activateTarget', { targetId });
      if (isTold || !(await comesTrue("document.visibilityState === 'visible'"))) await tell('visible');
    },
  };
}

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: unknown;
}

type Send = <T = unknown>(method: string, params?: object) => Promise<T>;

async function attach(session: CDPSession, targetId: string): Promise<Send> {
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  session.on('Target.receivedMessageFromTarget', ({ sessionId: from, message }) => {
    if (from !== sessionId) return;
    const { id, result, error } = JSON.parse(message);
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error) caller?.reject(new Error(error.message));
    else caller?.resolve(result as never);
  });
  let last = 0;
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      session
        .send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: last, method, params }) })
        .catch(reject);
    });
}
