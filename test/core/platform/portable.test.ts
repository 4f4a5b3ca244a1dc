import { afterEach, describe, expect, it } from 'vitest';
import { allSettled, jsonOf, lastOf, numbered } from '../../../src/core/platform/portable.js';
import { reportBytes } from '../../../src/core/protocol/report-bytes.js';
import { plainCoordinates } from '../../../src/core/schema/copy-json.js';
import { createClient, fixedLocation } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { BrowserCoordinates, betEvent } from '../../support/factories.js';

describe('a toJSON of all lists, as Prototype.js 1.6 adds it', () => {
  afterEach(() => void Reflect.deleteProperty(Array.prototype, 'toJSON'));

  it('changes no bytes', () => {
    const body = { bet_id: 'B-1', metadata: { legs: ['a', { odds: [1.5, null] }] } };
    const before = [jsonOf(body), reportBytes(body, undefined)];
    Object.assign(Array.prototype, { toJSON: () => 'changed' });
    expect(JSON.stringify([])).toBe('"changed"');
    expect([jsonOf(body), reportBytes(body, undefined)]).toEqual(before);
  });
});

it('a list has a last one and numbers, and an empty list has none', () => {
  expect([lastOf(['a', 'b']), lastOf([])]).toEqual(['b', undefined]);
  expect(numbered(['a', 'b'])).toEqual([
    [0, 'a'],
    [1, 'b'],
  ]);
});

it('promises settle as with Promise.allSettled', async () => {
  const of = () => [Promise.resolve(1), Promise.reject(new Error('no'))];
  expect(await allSettled(of())).toEqual(await Promise.allSettled(of()));
});

describe('the coordinates of a browser, whose members are getters', () => {
  it('are read', () => {
    expect(plainCoordinates(new BrowserCoordinates())).toEqual({
      latitude: 6.5,
      longitude: 3.3,
      accuracy: 20,
      source: 'gps',
    });
  });

  it('are the location of a call', async () => {
    const gateway = createMockGateway();
    const options = { ...gateway.clientOptions(), fetch: gateway.fetch };
    const location = new BrowserCoordinates();
    await createClient(options).reportBetEvent(betEvent({ bet_id: 'B-1' }), { location });
    const fixed = createClient({ ...options, location: fixedLocation(location) });
    await fixed.reportBetEvent(betEvent({ bet_id: 'B-2' }));
    const place = { latitude: 6.5, longitude: 3.3, accuracy: 20, source: 'gps' };
    expect(gateway.reports().map(({ body }) => body)).toMatchObject([{ location: place }, { location: place }]);
  });
});
