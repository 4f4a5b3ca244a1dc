import { expect, it } from 'vitest';
import { onReconnecting } from '../../../src/outbox/stores/indexeddb/reconnecting.js';

/** A page whose events the test brings about. */
function fakePage() {
  const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  return Object.assign(new EventTarget(), { document });
}

it('a page tells when it may have a network again, until it is not asked any more', () => {
  const page = fakePage();
  let told = 0;
  const stop = onReconnecting(page, () => {
    told += 1;
  });
  const show = () => page.document.dispatchEvent(new Event('visibilitychange'));
  show();
  expect(told).toBe(0);
  page.document.visibilityState = 'visible';
  show();
  page.dispatchEvent(new Event('online'));
  page.dispatchEvent(new Event('pageshow'));
  expect(told).toBe(3);
  stop();
  show();
  page.dispatchEvent(new Event('online'));
  page.dispatchEvent(new Event('pageshow'));
  expect(told).toBe(3);
});

it('a worker without a document, and a platform without events, are none the worse', () => {
  const worker = new EventTarget();
  let told = 0;
  const stop = onReconnecting(worker, () => {
    told += 1;
  });
  worker.dispatchEvent(new Event('online'));
  stop();
  onReconnecting({}, () => {})();
  expect(told).toBe(1);
});
