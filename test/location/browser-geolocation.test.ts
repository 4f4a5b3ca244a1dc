import { describe, expect, test } from 'vitest';
import { createBrowserGeolocation, type GeolocationSettings } from '../../src/location/browser-geolocation.js';
import { type PageScope, readPage } from '../../src/location/page.js';
import { optionTable } from '../../src/option-table.js';
import { FakeClock } from './fake-clock.js';
import { type Asked, FakePage } from './fake-page.js';

const LAGOS = { latitude: 6.4474, longitude: 3.3903, accuracy: 12 };
const ABUJA = { latitude: 9.0579, longitude: 7.4951, accuracy: 900 };

const { enabled: _, ...rows } = optionTable.location.browser;
const defaults = Object.fromEntries(Object.entries(rows).map(([name, { standard }]) => [name, standard])) as unknown as GeolocationSettings;

function open(changes: Partial<GeolocationSettings> = {}, prepare: (page: FakePage) => PageScope = (page) => page) {
  const clock = new FakeClock();
  const page = new FakePage();
  const geolocation = createBrowserGeolocation({ ...defaults, ...changes }, { page: readPage(prepare(page), undefined), clock });
  const ask = (milliseconds = 20_000, signal?: AbortSignal) => geolocation.ask({ milliseconds, signal });
  const settled = (milliseconds?: number, signal?: AbortSignal) => clock.runUntilSettled(ask(milliseconds, signal));
  const grant = (coords: object = LAGOS, timestamp?: number) => {
    page.answer = ({ success }) => success({ coords, ...(timestamp !== undefined && { timestamp }) } as never);
  };
  const refuse = (code: number, message?: string) => {
    page.answer = ({ failure }) => failure({ code, ...(message !== undefined && { message }) });
  };
  return { clock, page, ask, settled, grant, refuse };
}

const last = ({ asked }: FakePage): Asked => {
  const found = asked.at(-1);
  if (!found) throw new Error('the browser was not asked');
  return found;
};

const permitted = (state: string) => async () => ({ state });

describe('one question for all who wait', () => {
  test('ten calls at once ask once and get the same position', async () => {
    const { page, ask, clock } = open();
    const calls = Array.from({ length: 10 }, () => ask());
    await clock.advance(3_000);
    last(page).success({ coords: LAGOS });
    expect(await Promise.all(calls)).toEqual(Array(10).fill({ position: LAGOS, ageMs: 0 }));
    expect(page.asked).toHaveLength(1);
    expect([clock.waiting, page.listeners]).toEqual([0, 0]);
  });

  test('one that is aborted or out of time leaves it open for the others', async () => {
    const { page, ask, clock } = open();
    const controller = new AbortController();
    const [aborted, hasty, patient] = [ask(20_000, controller.signal), ask(500), ask()];
    await clock.advance(600);
    controller.abort();
    last(page).success({ coords: LAGOS });
    expect(await aborted).toMatchObject({ reason: 'aborted' });
    expect(await hasty).toMatchObject({ reason: 'timeout' });
    expect(await patient).toMatchObject({ position: LAGOS });
  });

  test('a call that is aborted already asks nothing', async () => {
    const { page, settled, grant } = open();
    grant();
    expect(await settled(20_000, AbortSignal.abort())).toMatchObject({ reason: 'aborted' });
    expect(page.asked).toEqual([]);
  });

  test('it is waited for ten seconds in all, also by who joins late', async () => {
    const { page, ask, settled, clock } = open();
    ask();
    await clock.advance(7_500);
    const began = clock.now();
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    expect(clock.now() - began).toBe(2_500);
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    expect(clock.now() - began).toBe(2_500);
    expect(page.asked).toHaveLength(1);
  });

  test('one that nobody answers is asked anew after a while', async () => {
    const { page, settled, clock } = open();
    await settled();
    await clock.advance(59_999);
    await settled();
    expect(page.asked).toHaveLength(1);
    await clock.advance(1);
    await settled();
    expect(page.asked).toHaveLength(2);
  });

  test('a position that comes too late is there for the next call', async () => {
    const { page, settled, clock } = open();
    await settled(1_000);
    await clock.advance(20_000);
    last(page).success({ coords: LAGOS });
    await clock.advance(5_000);
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 5_000 });
    expect(page.asked).toHaveLength(1);
  });
});

describe('a recent position', () => {
  test.each([
    [59_999, 1],
    [60_000, 2],
  ])('%i ms old: the browser has been asked %i times', async (age, times) => {
    const { page, settled, grant, clock } = open();
    grant();
    await settled();
    await clock.advance(age);
    expect(await settled()).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(times);
  });

  test('is not used again where maximumAgeMs is 0', async () => {
    const { page, settled, grant } = open({ maximumAgeMs: 0 });
    grant();
    await settled();
    await settled();
    expect(page.asked).toHaveLength(2);
  });

  test('is as old as its timestamp says', async () => {
    const { page, settled, grant, clock } = open();
    grant(LAGOS, clock.now() - 40_000);
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 40_000 });
    await clock.advance(20_000);
    await settled();
    expect(page.asked).toHaveLength(2);
  });

  test.each<[string, (now: number) => unknown]>([
    ['in seconds', (now) => Math.floor(now / 1_000)],
    ['since 2001', (now) => now - 978_307_200_000],
    ['since the start of the device', () => 81_234.5],
    ['of the future', (now) => now + 5_000],
    ['no number', () => 'yesterday'],
    ['NaN', () => Number.NaN],
  ])('whose timestamp is %s was taken when it came', async (_what, timestamp) => {
    const { page, settled, grant, clock } = open();
    grant(LAGOS, timestamp(clock.now()) as number);
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 0 });
    await clock.advance(10_000);
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 10_000 });
    expect(page.asked).toHaveLength(1);
  });

  test('is not used again once the clock was set back', async () => {
    const { page, settled, grant, clock } = open();
    grant();
    await settled();
    await clock.advance(-3_600_000);
    grant(ABUJA);
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
    expect(page.asked).toHaveLength(2);
  });
});

describe('low accuracy', () => {
  test.each([
    [3, 'times out'],
    [2, 'fails'],
  ])('is tried where high accuracy ends with code %i', async (code) => {
    const { page, settled } = open();
    page.answer = ({ success, failure, options }) => (options.enableHighAccuracy ? failure({ code }) : success({ coords: ABUJA }));
    expect(await settled()).toMatchObject({ position: ABUJA });
    expect(page.asked.map(({ options }) => options)).toEqual([
      { enableHighAccuracy: true, timeout: 7_000, maximumAge: 60_000 },
      { enableHighAccuracy: false, timeout: 3_000, maximumAge: 60_000 },
    ]);
  });

  test('is not tried after a no', async () => {
    const { page, settled, refuse } = open();
    refuse(1);
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(1);
  });

  test('that fails too ends the step at once, with its own reason', async () => {
    const { page, settled, clock } = open();
    const began = clock.now();
    page.answer = ({ failure, options }) => failure({ code: options.enableHighAccuracy ? 3 : 2 });
    expect(await settled()).toMatchObject({ reason: 'position-unavailable' });
    expect(page.asked).toHaveLength(2);
    expect(clock.now()).toBe(began);
  });

  test('is tried where a browser that has leave says nothing, and whichever answers first is taken', async () => {
    const { page, ask, clock } = open();
    page.permission = permitted('granted');
    const [one, two] = [ask(), ask()];
    await clock.advance(6_999);
    expect(page.asked).toHaveLength(1);
    await clock.advance(1);
    expect(page.asked.map(({ options }) => options.enableHighAccuracy)).toEqual([true, false]);
    page.asked[0]?.failure({ code: 3 });
    page.asked[1]?.success({ coords: ABUJA });
    expect(await one).toMatchObject({ position: ABUJA });
    expect(await two).toMatchObject({ position: ABUJA });
    expect([clock.waiting, page.listeners]).toEqual([0, 0]);
  });

  test('is tried in time also for a call that has little of it', async () => {
    const { page, settled } = open();
    page.permission = permitted('granted');
    page.answer = ({ success, options }) => !options.enableHighAccuracy && success({ coords: ABUJA });
    expect(await settled(1_000)).toMatchObject({ position: ABUJA });
  });

  test.each<[string, () => PromiseLike<{ state: string }>]>([
    ['is not given', permitted('prompt')],
    ['is not told', () => new Promise(() => {})],
    [
      'cannot be asked for',
      () => {
        throw new TypeError('not supported');
      },
    ],
  ])('waits where leave %s: a second question could open a second prompt', async (_what, permission) => {
    const { page, settled } = open();
    page.permission = permission;
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    expect(page.asked).toHaveLength(1);
  });
});

describe('a no', () => {
  test('is remembered for a minute', async () => {
    const { page, settled, refuse, grant, clock } = open();
    refuse(1);
    await settled();
    grant();
    await clock.advance(59_999);
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(1);
    await clock.advance(1);
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('is forgotten at once where the browser says that it is a yes by now', async () => {
    const { page, settled, refuse, grant } = open({ maximumAgeMs: 0 });
    refuse(1);
    await settled();
    grant();
    page.permission = permitted('granted');
    expect(await settled()).toMatchObject({ position: LAGOS });
    page.permission = permitted('prompt');
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('is not remembered where denialMemoryMs is 0', async () => {
    const { page, settled, refuse } = open({ denialMemoryMs: 0 });
    refuse(1);
    await settled();
    await settled();
    expect(page.asked).toHaveLength(2);
  });

  test('costs a browser that does not answer about it a quarter of a second', async () => {
    const { page, settled, refuse, clock } = open();
    refuse(1);
    await settled();
    page.permission = () => new Promise(() => {});
    const began = clock.now();
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(clock.now() - began).toBe(250);
    expect(clock.waiting).toBe(0);
  });

  test('that the browser only foretells does not keep it from being asked', async () => {
    const { page, settled, grant } = open();
    page.permission = permitted('denied');
    grant();
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test.each<[string, string | undefined, boolean | undefined, string]>([
    ['the player', 'User denied Geolocation', true, 'denied'],
    ['a policy that the browser tells', undefined, false, 'blocked-by-policy'],
    ['a policy that only its words tell', 'Geolocation has been disabled in this document by permissions policy.', undefined, 'blocked-by-policy'],
    ['nobody knows whom', undefined, undefined, 'denied'],
  ])('of %s', async (_whose, message, allowed, reason) => {
    const { page, settled, refuse } = open();
    page.allowed = allowed;
    refuse(1, message);
    const answer = await settled();
    expect(answer).toMatchObject({ reason });
    if (message) expect(JSON.stringify(answer)).not.toContain(message);
  });
});

describe('a hidden page', () => {
  test('is not asked', async () => {
    const { page, settled, clock } = open();
    page.show('hidden');
    const began = clock.now();
    expect(await settled()).toMatchObject({ reason: 'page-hidden' });
    expect([page.asked.length, clock.now() - began]).toEqual([0, 0]);
  });

  test('is asked where leave is given, and waited for a second', async () => {
    const { page, settled, clock } = open({ highAccuracy: false });
    page.show('hidden');
    page.permission = permitted('granted');
    const began = clock.now();
    expect(await settled()).toMatchObject({ reason: 'page-hidden' });
    expect(await settled()).toMatchObject({ reason: 'page-hidden' });
    expect([page.asked.length, clock.now() - began]).toEqual([1, 1_000]);
    last(page).success({ coords: LAGOS });
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('uses a recent position', async () => {
    const { page, settled, grant } = open();
    grant();
    await settled();
    page.show('hidden');
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('that becomes hidden while the player decides is not waited for; the answer serves when it is back', async () => {
    const { page, ask, clock } = open();
    const call = ask();
    await clock.advance(2_000);
    page.show('hidden');
    expect(await call).toMatchObject({ reason: 'page-hidden' });
    expect([clock.waiting, page.listeners]).toEqual([0, 0]);
    page.show('visible');
    const back = ask();
    last(page).success({ coords: LAGOS });
    expect(await back).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(1);
  });
});

describe('odd browsers', () => {
  const answers: [string, (asked: Asked) => void][] = [
    [
      'succeed twice',
      ({ success }) => {
        success({ coords: LAGOS });
        success({ coords: LAGOS });
      },
    ],
    [
      'succeed and fail',
      ({ success, failure }) => {
        success({ coords: LAGOS });
        failure({ code: 1 });
      },
    ],
    [
      'succeed and throw',
      ({ success }) => {
        success({ coords: LAGOS });
        throw new Error('late');
      },
    ],
  ];
  test.each(answers)('that %s give a position, and no denial', async (_what, answer) => {
    const { page, settled, clock } = open({ maximumAgeMs: 0 });
    page.answer = answer;
    expect(await settled()).toMatchObject({ position: LAGOS });
    expect(await settled()).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(2);
    expect([clock.waiting, page.listeners]).toEqual([0, 0]);
  });

  const throwing = new Proxy(
    {},
    {
      get: () => {
        throw new Error('6.4474, 3.3903');
      },
    },
  );
  test.each<[string, (asked: Asked) => void]>([
    ['a position whose members throw', ({ success }) => success(throwing as never)],
    ['coordinates that throw', ({ success }) => success({ coords: throwing as never })],
    ['an error whose members throw', ({ failure }) => failure(throwing as never)],
    ['infinite coordinates', ({ success }) => success({ coords: { ...LAGOS, longitude: Number.POSITIVE_INFINITY } })],
    ['nothing', ({ failure }) => failure(undefined as never)],
  ])('that give %s have no usable position', async (_what, answer) => {
    const { page, settled } = open();
    page.answer = answer;
    expect(await settled()).toMatchObject({ reason: 'position-unavailable' });
  });

  test('fail twice, and are asked for low accuracy once, and waited for', async () => {
    const { page, ask, clock } = open();
    const call = ask();
    page.asked[0]?.failure({ code: 3 });
    page.asked[0]?.failure({ code: 3 });
    await clock.advance(1_000);
    expect(page.asked).toHaveLength(2);
    page.asked[1]?.success({ coords: ABUJA });
    expect(await call).toMatchObject({ position: ABUJA });
  });

  test('whose words throw are believed their no', async () => {
    const { page, settled } = open();
    page.answer = ({ failure }) => failure(Object.defineProperty({ code: 1 }, 'message', { get: () => expect.unreachable() }));
    expect(await settled()).toMatchObject({ reason: 'denied' });
    page.permission = () => throwing as never;
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(1);
  });

  test('whose every property throws have no geolocation', async () => {
    const { settled } = open({}, () => throwing);
    expect(await settled()).toMatchObject({ reason: 'not-available' });
  });

  test('whose document throws are asked all the same', async () => {
    const { page, settled, grant, refuse } = open({ maximumAgeMs: 0 }, ({ navigator }) => ({ navigator, document: throwing as never }));
    grant();
    expect(await settled()).toMatchObject({ position: LAGOS });
    refuse(1);
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(2);
  });
});
