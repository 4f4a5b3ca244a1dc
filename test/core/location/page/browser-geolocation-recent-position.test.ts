import { describe, expect, test } from 'vitest';
import { ABUJA, LAGOS, open } from './open-page.js';

describe('a recent position', () => {
  test.each([
    [59_999, 1],
    [60_000, 2],
  ])('%i ms old: the browser has been asked %i times', async (age, times) => {
    const { page, settled, grant, clock } = open();
    grant();
    await settled();
    await clock.pass(age);
    expect(await settled()).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(times);
  });

  test('is not reused if maximumAgeMs is 0', async () => {
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
    await clock.pass(20_000);
    await settled();
    expect(page.asked).toHaveLength(2);
  });

  test.each([86_400_000 + 3_600_000, 9 * 31_536_000_000])(
    'of %i ms before is reported with that age, and not reused for longer',
    async (age) => {
      const { page, settled, grant, clock } = open({ maximumAgeMs: age + 1_000 });
      grant(LAGOS, clock.now() - age);
      expect(await settled()).toEqual({ position: LAGOS, ageMs: age });
      await clock.pass(999);
      expect(await settled()).toEqual({ position: LAGOS, ageMs: age + 999 });
      expect(page.asked).toHaveLength(1);
      await clock.pass(1);
      await settled();
      expect(page.asked).toHaveLength(2);
    },
  );

  test.each([0, 60_000])(
    'may be five minutes older than maximumAgeMs, %i, since clocks differ, but not more',
    async (maximumAgeMs) => {
      const { page, settled, grant, clock } = open({ maximumAgeMs });
      grant(LAGOS, clock.now() - maximumAgeMs - 300_000);
      expect(await settled()).toEqual({ position: LAGOS, ageMs: maximumAgeMs + 300_000 });
      page.asked.length = 0;
      grant(LAGOS, clock.now() - maximumAgeMs - 300_001);
      expect(await settled()).toEqual({
        reason: 'position-unavailable',
        message: 'the device gave an old position, or its clock is ahead: check its time',
      });
      expect(page.asked).toHaveLength(2);
    },
  );

  test.each([420_000, 3_600_000, 86_400_000])(
    'is taken on a device whose clock is %i ms ahead, once two answers have moved on with the clock',
    async (ahead) => {
      const { settled, grant, clock } = open();
      grant(LAGOS, clock.now() - ahead);
      expect(await settled()).toMatchObject({ message: expect.stringContaining('its clock is ahead') });
      await clock.pass(8_000);
      grant(ABUJA, clock.now() - ahead);
      expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
      await clock.pass(60_000);
      grant(LAGOS, clock.now() - ahead - 2_000);
      expect(await settled()).toEqual({ position: LAGOS, ageMs: 0 });
    },
  );

  test.each([
    ['the same one again', 0],
    ['another old one', 4_000],
    ['an older one', -8_000],
    ['one of long before, newer by more than has passed', 20_000],
  ])('is not taken if the device gives %s', async (_what, moved) => {
    const { settled, grant, clock } = open();
    const asked = clock.now() - 3_600_000;
    grant(LAGOS, asked);
    await settled();
    await clock.pass(10_000);
    grant(ABUJA, asked + moved);
    expect(await settled()).toMatchObject({ reason: 'position-unavailable' });
  });

  test('is not replaced by an older one that arrives late from an earlier request', async () => {
    const { page, ask, settled, clock } = open();
    await settled();
    await clock.pass(60_000);
    const anew = ask();
    const [before, now] = page.asked;
    now?.success({ coords: LAGOS });
    before?.success({ coords: ABUJA, timestamp: clock.now() - 40_000 });
    expect(await anew).toEqual({ position: LAGOS, ageMs: 0 });
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 0 });
  });

  test.each<[string, (now: number) => unknown]>([
    ['in seconds', (now) => Math.floor(now / 1_000)],
    ['since 2001', (now) => now - 978_307_200_000],
    ['since the start of the device', () => 81_234.5],
    ['of the future', (now) => now + 5_000],
    ['that is not a number', () => 'yesterday'],
    ['NaN', () => Number.NaN],
  ])('whose timestamp is %s counts as taken when it arrived', async (_what, timestamp) => {
    const { page, settled, grant, clock } = open();
    grant(LAGOS, timestamp(clock.now()) as number);
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 0 });
    await clock.pass(10_000);
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 10_000 });
    expect(page.asked).toHaveLength(1);
  });

  test('is not reused once the clock was set back', async () => {
    const { page, settled, grant, clock } = open();
    grant();
    await settled();
    await clock.pass(-3_600_000);
    grant(ABUJA);
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
    expect(await settled()).toEqual({ position: ABUJA, ageMs: 0 });
    expect(page.asked).toHaveLength(2);
  });
});
