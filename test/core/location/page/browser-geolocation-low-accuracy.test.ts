import { describe, expect, test } from 'vitest';
import { ABUJA, LAGOS, open, permitted } from './open-page.js';

describe('low accuracy', () => {
  test.each([
    [3, 'times out'],
    [2, 'fails'],
  ])('is tried where high accuracy ends with code %i', async (code) => {
    const { page, settled } = open();
    page.answer = ({ success, failure, options }) =>
      options.enableHighAccuracy ? failure({ code }) : success({ coords: ABUJA });
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

  test('is tried if high accuracy gives an old position', async () => {
    const { page, settled, clock } = open({ maximumAgeMs: 0 });
    page.answer = ({ success, options }) =>
      success(
        options.enableHighAccuracy
          ? { coords: LAGOS, timestamp: clock.now() - 90_000_000 }
          : { coords: ABUJA, timestamp: clock.now() },
      );
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
  });

  test('waits for the browser: a second request beside the first could open a second prompt', async () => {
    const { page, settled } = open();
    page.permission = permitted('granted');
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    expect(page.asked).toHaveLength(1);
  });
});
