import { afterEach, describe, expect, test } from 'vitest';
import { createClient, pageLocation } from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { betEvent } from '../../../support/factories.js';

const LAGOS = { latitude: 6.4474, longitude: 3.3903, accuracy: 12 };
/** As `locate()` of a page gives it, and as JSON carries it. */
const SENT = { source: 'gps', ...LAGOS, ageMs: 40, steps: [{ step: 'browser-geolocation', durationMs: 12 }] };
const overJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

afterEach(() => {
  for (const name of [...Object.keys(LAGOS), 'source']) Reflect.deleteProperty(Object.prototype, name);
});

describe('gives the coordinates, the accuracy and the source of', () => {
  test.each<[what: string, value: unknown, location: object]>([
    ['the result of a page', overJson(SENT), { ...LAGOS, source: 'gps' }],
    ['the position of an app, which has no source', { ...LAGOS }, { ...LAGOS, source: 'gps' }],
    [
      'the coords of an app, with members that are null',
      { latitude: 6, longitude: 3, accuracy: null, altitude: null, heading: null, speed: null },
      { latitude: 6, longitude: 3, source: 'gps' },
    ],
    ['the equator and the prime meridian', { latitude: 0, longitude: 0 }, { latitude: 0, longitude: 0, source: 'gps' }],
    ['the bounds', { latitude: -90, longitude: 180 }, { latitude: -90, longitude: 180, source: 'gps' }],
    [
      'a page that names a city, which it cannot know',
      { ...SENT, city: 'Abuja', region: 'FCT', country: 'NG', nin: '99012345678' },
      { ...LAGOS, source: 'gps' },
    ],
    [
      'an object that inherits nothing',
      Object.assign(Object.create(null), { latitude: 6, longitude: 3 }),
      { latitude: 6, longitude: 3, source: 'gps' },
    ],
    [
      'JSON with the keys of a prototype',
      JSON.parse('{"__proto__":{"source":"ip"},"constructor":1,"latitude":6,"longitude":3}'),
      { latitude: 6, longitude: 3, source: 'gps' },
    ],
  ])('%s', (_, value, location) => {
    expect(pageLocation(value)).toStrictEqual(location);
  });

  test('an object with thousands of other members', () => {
    const others = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${index}`, index]));
    expect(pageLocation({ ...others, ...LAGOS })).toStrictEqual({ ...LAGOS, source: 'gps' });
  });
});

const revoked = (() => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
})();

describe('gives undefined and never throws for', () => {
  test.each<[what: string, value: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'gps'],
    ['a number', 6],
    ['true', true],
    ['a symbol', Symbol('latitude')],
    ['a bigint', 6n],
    ['a function', Object.assign(() => {}, LAGOS)],
    ['an empty object', {}],
    ['a list', [6.4, 3.3]],
    ['a list with the members of a location', Object.assign([], LAGOS)],
    ['coordinates as text, of a form', { latitude: '6.4', longitude: '3.3' }],
    ['coordinates in lists', { latitude: [6.4], longitude: [3.3] }],
    ['coordinates that are objects', { latitude: { valueOf: () => 6 }, longitude: new Number(3) }],
    ['NaN', { latitude: Number.NaN, longitude: 3 }],
    ['an infinity', { latitude: 6, longitude: Number.NEGATIVE_INFINITY }],
    ['a latitude alone', { latitude: 6 }],
    ['a latitude of null, as JSON writes NaN', { latitude: null, longitude: 3 }],
    ['a latitude out of bounds', { latitude: 90.000001, longitude: 3 }],
    ['a longitude out of bounds', { latitude: 6, longitude: -180.1 }],
    ['an accuracy as text', { ...LAGOS, accuracy: '12' }],
    ['an accuracy that is infinite', { ...LAGOS, accuracy: Number.POSITIVE_INFINITY }],
    ['a negative accuracy: iOS has no valid position', { ...LAGOS, accuracy: -1 }],
    ['a lookup of the page', { ...LAGOS, source: 'ip' }],
    ['a source of its own', { ...LAGOS, source: 'terminal' }],
    ['a source in other letters', { ...LAGOS, source: 'GPS' }],
    ['a source in a list', { ...LAGOS, source: ['gps'] }],
    ['the whole position of a browser', { coords: LAGOS, timestamp: 1 }],
    ['inherited members', Object.create(LAGOS)],
    [
      'a getter that throws',
      {
        ...LAGOS,
        get latitude() {
          throw new Error('99012345678');
        },
      },
    ],
    ['a proxy that throws', revoked],
  ])('%s', (_, value) => {
    expect(pageLocation(value)).toBeUndefined();
  });

  test('a getter, which is not run', () => {
    let runs = 0;
    const value = {
      longitude: 3,
      get latitude() {
        runs += 1;
        return 6;
      },
    };
    expect([pageLocation(value), runs]).toEqual([undefined, 0]);
  });

  test('an empty object while a library has added members to all objects', () => {
    Object.assign(Object.prototype, LAGOS, { source: 'gps' });
    expect(pageLocation({})).toBeUndefined();
  });
});

describe('in a report of the backend', () => {
  const reported = async (body: { readonly location?: unknown }) => {
    const gateway = createMockGateway();
    const { location: _, ...options } = gateway.clientOptions();
    const lookup = async () => ({ latitude: 9.05, longitude: 7.49 });
    const client = createClient({ ...options, location: { ip: { providers: [{ name: 'own', lookup }] } } });
    await client.reportBetEvent(betEvent(), { location: pageLocation(body.location), clientIP: '102.89.23.47' });
    return gateway.reports()[0]?.body.location;
  };

  test('the location of the page comes first', async () => {
    expect(await reported({ location: overJson(SENT) })).toEqual({ ...LAGOS, source: 'gps' });
  });

  test('without one the address is looked up', async () => {
    expect(await reported({})).toEqual({ latitude: 9.05, longitude: 7.49, source: 'client_ip' });
    expect(await reported({ location: { ...LAGOS, source: 'ip', city: 'Lagos' } })).toMatchObject({ latitude: 9.05 });
  });
});
