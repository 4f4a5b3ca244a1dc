import { describe, expect, test } from 'vitest';
import { ABUJA, LAGOS, open, permitted } from './open-page.js';

const WITHOUT_ACCURACY = { latitude: 6.6018, longitude: 3.3515 };

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

  test('is not tried after a refusal', async () => {
    const { page, settled, refuse } = open();
    refuse(1);
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(1);
  });

  test('if it also fails, ends the step at once, with its own reason', async () => {
    const { page, settled, clock } = open();
    const began = clock.now();
    page.answer = ({ failure, options }) => failure({ code: options.enableHighAccuracy ? 3 : 2 });
    expect(await settled()).toMatchObject({ reason: 'position-unavailable' });
    expect(page.asked).toHaveLength(2);
    expect(clock.now()).toBe(began);
  });

  test('is tried if permission is granted and the browser does not answer, and the first answer is used', async () => {
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

  test('is tried in time for a call with little time left', async () => {
    const { page, settled } = open();
    page.permission = permitted('granted');
    page.answer = ({ success, options }) => !options.enableHighAccuracy && success({ coords: ABUJA });
    expect(await settled(1_000)).toMatchObject({ position: ABUJA });
  });

  test('is tried if high accuracy gives an old position', async () => {
    const { page, settled, clock } = open({ maximumAgeMs: 0 });
    page.answer = ({ success, options }) =>
      success(options.enableHighAccuracy ? { coords: LAGOS, timestamp: clock.now() - 90_000_000 } : { coords: ABUJA, timestamp: clock.now() });
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
  });

  test.each<[string, object, object, object]>([
    ['a better position is kept', LAGOS, ABUJA, LAGOS],
    ['a worse position is replaced', ABUJA, LAGOS, LAGOS],
    ['a position with an accuracy is kept', ABUJA, WITHOUT_ACCURACY, ABUJA],
    ['a position without an accuracy is replaced', WITHOUT_ACCURACY, ABUJA, ABUJA],
  ])('answers beside high accuracy: %s, whichever is newer', async (_what, first, second, kept) => {
    for (const later of [0, -5_000, 5_000]) {
      const { page, ask, settled, clock } = open();
      page.permission = permitted('granted');
      const call = ask();
      await clock.advance(7_000);
      page.asked[0]?.success({ coords: first as never, timestamp: clock.now() - 10_000 });
      page.asked[1]?.success({ coords: second as never, timestamp: clock.now() - 10_000 + later });
      expect(await call).toMatchObject({ position: first });
      expect(await settled()).toMatchObject({ position: kept });
      expect(page.asked).toHaveLength(2);
    }
  });

  test('answers when the better position has expired: it is used', async () => {
    const { page, ask, settled, clock } = open();
    page.permission = permitted('granted');
    ask();
    await clock.advance(7_000);
    page.asked[0]?.success({ coords: LAGOS });
    await clock.advance(60_000);
    page.asked[1]?.success({ coords: ABUJA });
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
  });

  test('answers with a better position that is too old to be reused: the other is kept', async () => {
    const { page, ask, settled, clock } = open();
    page.permission = permitted('granted');
    ask();
    await clock.advance(7_000);
    page.asked[1]?.success({ coords: ABUJA });
    page.asked[0]?.success({ coords: LAGOS, timestamp: clock.now() - 120_000 });
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
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
  ])('waits if permission %s: a second request could open a second prompt', async (_what, permission) => {
    const { page, settled } = open();
    page.permission = permission;
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    expect(page.asked).toHaveLength(1);
  });
});
