import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/core/platform/time.js';
import { onReconnecting } from '../../../../src/outbox/stores/indexeddb/tabs.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page whose events the test emits. */
function fakePage() {
  const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  return Object.assign(new EventTarget(), { document });
}

it('a page calls the listener when it may have a network again, until it is stopped', () => {
  const page = fakePage();
  let told = 0;
  const stop = onReconnecting(page, systemClock, () => {
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

it('a worker without a document, and a platform without events, cause no error', () => {
  const worker = new EventTarget();
  let told = 0;
  const stop = onReconnecting(worker, systemClock, () => {
    told += 1;
  });
  worker.dispatchEvent(new Event('online'));
  stop();
  onReconnecting({}, systemClock, () => {})();
  expect(told).toBe(1);
});

it('calls the listener again a little later, since a browser is online before its requests succeed', () => {
  const page = fakePage();
  const told: number[] = [];
  const began = Date.now();
  const stop = onReconnecting(page, systemClock, () => told.push(Date.now() - began));
  page.dispatchEvent(new Event('online'));
  vi.advanceTimersByTime(500);
  page.dispatchEvent(new Event('pageshow'));
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([0, 500, 2_500]);
  page.dispatchEvent(new Event('online'));
  stop();
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([0, 500, 2_500, 10_500]);
});
