import { describe, expect, test } from 'vitest';
import type { Asked } from './fake-page.js';
import { ABUJA, LAGOS, open } from './open-page.js';

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
  test.each(answers)('that %s give a position, and no refusal', async (_what, answer) => {
    const { page, settled, clock } = open({ maximumAgeMs: 0 });
    page.answer = answer;
    expect(await settled()).toMatchObject({ position: LAGOS });
    expect(await settled()).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(2);
    expect([clock.pending, page.listeners]).toEqual([0, 0]);
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

  test('fail twice are asked for low accuracy once, and waited for', async () => {
    const { page, ask, clock } = open();
    const call = ask();
    page.asked[0]?.failure({ code: 3 });
    page.asked[0]?.failure({ code: 3 });
    await clock.pass(1_000);
    expect(page.asked).toHaveLength(2);
    page.asked[1]?.success({ coords: ABUJA });
    expect(await call).toMatchObject({ position: ABUJA });
  });

  test.each<[string, unknown]>([
    ['an error', new Error('6.4474, 3.3903')],
    ['an object whose members throw', throwing],
    ['nothing', undefined],
  ])('whose replacement rejects with %s fail at once', async (_what, error) => {
    const { page, settled, clock } = open();
    page.answer = async () => {
      throw error;
    };
    const began = clock.now();
    const answer = await settled();
    expect(answer).toMatchObject({ reason: 'position-unavailable' });
    expect(JSON.stringify(answer)).not.toContain('6.4474');
    expect([page.asked.length, clock.now() - began, clock.pending]).toEqual([2, 0, 0]);
  });

  test('whose replacement rejects with a denial have denied', async () => {
    const { page, settled } = open();
    page.answer = () => Promise.reject({ code: 1 });
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(1);
  });

  test('whose replacement answers and then rejects keep their answer', async () => {
    const { page, settled } = open();
    page.answer = async ({ success }) => {
      success({ coords: LAGOS });
      throw new Error('late');
    };
    expect(await settled()).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(1);
  });

  test.each<[string, () => unknown]>([
    ['never settles', () => new Promise(() => {})],
    ['cannot be read', () => throwing],
  ])('that return a value that %s are waited for or failed, and nothing is thrown', async (_what, returned) => {
    const { page, settled } = open();
    page.answer = returned;
    expect((await settled()) as object).toHaveProperty('reason');
  });

  test('whose message throws have denied', async () => {
    const { page, settled } = open();
    page.answer = ({ failure }) =>
      failure(Object.defineProperty({ code: 1 }, 'message', { get: () => expect.unreachable() }));
    expect(await settled()).toMatchObject({ reason: 'denied' });
    page.permission = () => throwing as never;
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(1);
  });

  test('whose every property throws have no geolocation', async () => {
    const { settled } = open({}, () => throwing);
    expect(await settled()).toMatchObject({ reason: 'not-available' });
  });

  test('whose document throws are still asked', async () => {
    const { page, settled, grant, refuse } = open({ maximumAgeMs: 0 }, ({ navigator }) => ({
      navigator,
      document: throwing as never,
    }));
    grant();
    expect(await settled()).toMatchObject({ position: LAGOS });
    refuse(1);
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(2);
  });
});
