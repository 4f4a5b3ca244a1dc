import { describe, expect, test } from 'vitest';
import { type PageScope, readPage, readPermission } from '../../../../src/core/location/page/page.js';
import { locationPermission } from '../../../../src/entries/index.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { FakePage } from './fake-page.js';

async function permissionOf(change: (page: FakePage) => PageScope | undefined) {
  const clock = new FakeClock();
  const page = new FakePage();
  const scope = change(page) ?? page;
  const permission = await clock.run(readPermission(readPage(scope, undefined), clock));
  expect([page.asked.length, clock.pending]).toEqual([0, 0]);
  return permission;
}

const saying = (permission: FakePage['permission']) => (page: FakePage) => void Object.assign(page, { permission });

describe('the permission, without asking the player,', () => {
  test.each<[string, (page: FakePage) => PageScope | undefined, string]>([
    ['given', saying(async () => ({ state: 'granted' })), 'granted'],
    ['not decided', saying(async () => ({ state: 'prompt' })), 'prompt'],
    ['refused', saying(async () => ({ state: 'denied' })), 'denied'],
    ['that a browser cannot query', saying(() => Promise.reject(new TypeError('not supported'))), 'prompt'],
    ['that a browser never answers', saying(() => new Promise(() => {})), 'prompt'],
    ['with an unknown value', saying(async () => ({ state: 'sometimes' })), 'prompt'],
    ['without navigator.permissions', ({ navigator: { geolocation } }) => ({ navigator: { geolocation } }), 'prompt'],
    ['of a page that is not https', (page) => void Object.assign(page, { isSecureContext: false }), 'unavailable'],
    ['that a policy forbids', (page) => void Object.assign(page, { allowed: false }), 'unavailable'],
    ['where there is no geolocation', () => ({ navigator: {} }), 'unavailable'],
    ['without a global object', () => ({}), 'unavailable'],
  ])('%s', async (_what, change, permission) => {
    expect(await permissionOf(change)).toBe(permission);
  });

  test('on a server', async () => {
    expect(await locationPermission()).toBe('unavailable');
  });
});
