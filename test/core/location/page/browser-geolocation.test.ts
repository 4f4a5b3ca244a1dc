import { describe, expect, test, vi } from 'vitest';
import { LAGOS, last, open, permitted } from './open-page.js';

describe('one request for all callers', () => {
  test('ten calls at once ask once and get the same position', async () => {
    const { page, ask, clock } = open();
    const calls = Array.from({ length: 10 }, () => ask());
    await clock.pass(3_000);
    last(page).success({ coords: LAGOS });
    expect(await Promise.all(calls)).toEqual(Array(10).fill({ position: LAGOS, ageMs: 0 }));
    expect(page.asked).toHaveLength(1);
    expect([clock.pending, page.listeners]).toEqual([0, 0]);
  });

  test('one that is aborted or times out leaves the request open for the others', async () => {
    const { page, ask, clock } = open();
    const controller = new AbortController();
    const [aborted, hasty, patient] = [ask(20_000, controller.signal), ask(500), ask()];
    await clock.pass(600);
    controller.abort();
    last(page).success({ coords: LAGOS });
    expect(await aborted).toMatchObject({ reason: 'aborted' });
    expect(await hasty).toMatchObject({ reason: 'timeout' });
    expect(await patient).toMatchObject({ position: LAGOS });
  });

  test('a call that is already aborted asks nothing', async () => {
    const { page, settled, grant } = open();
    grant();
    expect(await settled(20_000, AbortSignal.abort())).toMatchObject({ reason: 'aborted' });
    expect(page.asked).toEqual([]);
  });

  test('is waited for ten seconds in total, also by a caller that joins late', async () => {
    const { page, ask, settled, clock } = open();
    ask();
    await clock.pass(7_500);
    const began = clock.now();
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    expect(clock.now() - began).toBe(2_500);
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    expect(clock.now() - began).toBe(2_500);
    expect(page.asked).toHaveLength(1);
  });

  test('one without an answer is sent again after a while', async () => {
    const { page, settled, clock } = open();
    await settled();
    await clock.pass(59_999);
    await settled();
    expect(page.asked).toHaveLength(1);
    await clock.pass(1);
    await settled();
    expect(page.asked).toHaveLength(2);
  });

  test('one that timed out is not waited for by later calls', async () => {
    const { page, ask, settled, clock } = open();
    await settled();
    const timer = vi.spyOn(clock, 'setTimeout');
    const listen = vi.spyOn(page.document, 'addEventListener');
    expect(await ask()).toMatchObject({ reason: 'timeout' });
    expect([timer.mock.calls.length, listen.mock.calls.length]).toEqual([0, 0]);
  });

  test.each([
    ['a second', 1_000],
    ['a year', 31_536_000_000],
  ])(
    'one that is open while the clock is set back by %s stays the only one, until its time is over',
    async (_by, milliseconds) => {
      const { page, ask, settled, clock } = open();
      ask();
      await clock.pass(500);
      await clock.pass(-milliseconds);
      const began = clock.now();
      expect(await settled()).toMatchObject({ reason: 'timeout' });
      expect(clock.now() - began).toBe(10_000);
      expect(page.asked).toHaveLength(1);
      await clock.pass(60_000);
      const anew = ask();
      expect(page.asked).toHaveLength(2);
      last(page).success({ coords: LAGOS });
      expect(await anew).toMatchObject({ position: LAGOS });
    },
  );

  test('no call exceeds its limit if the clock is set back while the permission is queried', async () => {
    const { page, ask, clock } = open();
    page.show('hidden');
    let allow = (_: { state: string }) => {};
    page.permission = () =>
      new Promise((resolve) => {
        allow = resolve;
      });
    const timer = vi.spyOn(clock, 'setTimeout');
    const call = ask(500);
    await clock.pass(-30_000);
    allow({ state: 'granted' });
    expect(await clock.run(call)).toMatchObject({ reason: 'page-hidden' });
    expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([250, 500]);
  });

  test('a position that comes too late is available to the next call', async () => {
    const { page, settled, clock } = open();
    await settled(1_000);
    await clock.pass(20_000);
    last(page).success({ coords: LAGOS });
    await clock.pass(5_000);
    expect(await settled()).toEqual({ position: LAGOS, ageMs: 5_000 });
    expect(page.asked).toHaveLength(1);
  });
});

describe('a no', () => {
  test('is remembered for a minute', async () => {
    const { page, settled, refuse, grant, clock } = open();
    refuse(1);
    await settled();
    grant();
    await clock.pass(59_999);
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(page.asked).toHaveLength(1);
    await clock.pass(1);
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('is forgotten at once if the browser reports that permission is now granted', async () => {
    const { page, settled, refuse, grant } = open({ maximumAgeMs: 0 });
    refuse(1);
    await settled();
    grant();
    page.permission = permitted('granted');
    expect(await settled()).toMatchObject({ position: LAGOS });
    page.permission = permitted('prompt');
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('is not remembered if denialMemoryMs is 0', async () => {
    const { page, settled, refuse } = open({ denialMemoryMs: 0 });
    refuse(1);
    await settled();
    await settled();
    expect(page.asked).toHaveLength(2);
  });

  test('delays a call by a quarter of a second if the browser does not answer about the permission', async () => {
    const { page, settled, refuse, clock } = open();
    refuse(1);
    await settled();
    page.permission = () => new Promise(() => {});
    const began = clock.now();
    expect(await settled()).toMatchObject({ reason: 'denied' });
    expect(clock.now() - began).toBe(250);
    expect(clock.pending).toBe(0);
  });

  test('that the browser only predicts does not keep it from being asked', async () => {
    const { page, settled, grant } = open();
    page.permission = permitted('denied');
    grant();
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test.each<[string, string | undefined, boolean | undefined, string]>([
    ['the player', 'User denied Geolocation', true, 'denied'],
    ['a policy that the browser reports', undefined, false, 'blocked-by-policy'],
    [
      'a policy that only the message names',
      'Geolocation has been disabled in this document by permissions policy.',
      undefined,
      'blocked-by-policy',
    ],
    ['an unknown party', undefined, undefined, 'denied'],
  ])('of %s', async (_whose, message, allowed, reason) => {
    const { page, settled, refuse } = open();
    page.allowed = allowed;
    refuse(1, message);
    const answer = await settled();
    expect(answer).toMatchObject({ reason });
    if (message) expect(JSON.stringify(answer)).not.toContain(message);
  });
});

describe('a browser that times out', () => {
  /** Chromium does so while its prompt is still open. */
  const timedOut = async (changes?: Parameters<typeof open>[0]) => {
    const opened = open(changes);
    opened.refuse(3);
    await opened.settled();
    opened.page.asked.length = 0;
    return { ...opened, began: opened.clock.now() };
  };

  test('while the player has not decided makes the next calls not wait, for a minute', async () => {
    const { page, settled, clock, began } = await timedOut();
    for (let call = 0; call < 2; call += 1)
      expect(await settled()).toEqual({
        reason: 'timeout',
        message: expect.stringContaining('prompt may still be open'),
      });
    expect([page.asked.length, clock.now() - began]).toEqual([0, 0]);
    await clock.pass(59_999);
    await settled();
    expect(page.asked).toHaveLength(0);
    await clock.pass(1);
    await settled();
    expect(page.asked).not.toHaveLength(0);
  });

  test('is asked again by the next call if it gave a position before: no prompt is open then', async () => {
    const { page, settled, grant, refuse, clock } = open();
    page.permission = permitted('prompt');
    grant();
    expect(await settled()).toMatchObject({ position: LAGOS });
    await clock.pass(120_000);
    refuse(3);
    expect(await settled()).toMatchObject({ reason: 'timeout' });
    grant();
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test.each(['granted', 'denied'])('is asked at once when the player has decided: %s', async (state) => {
    const { page, settled, grant } = await timedOut();
    grant();
    page.permission = permitted(state);
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test.each<[string, () => PromiseLike<{ state: string }>]>([
    ['do not report the permission', () => Promise.reject(new TypeError('not supported'))],
    ['report it too late', () => new Promise(() => {})],
  ])('is asked again by browsers that %s', async (_which, permission) => {
    const { page, settled, grant } = await timedOut();
    grant();
    page.permission = permission;
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('is asked again by every call if denialMemoryMs is 0', async () => {
    const { page, settled } = await timedOut({ denialMemoryMs: 0 });
    await settled();
    expect(page.asked).not.toHaveLength(0);
  });

  test('does not make a hidden page without permission ask', async () => {
    const { page, settled } = await timedOut();
    page.show('hidden');
    page.permission = permitted('denied');
    expect(await settled()).toMatchObject({ reason: 'page-hidden' });
    expect(page.asked).toHaveLength(0);
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

  test('is asked if permission is granted, and waited for a second', async () => {
    const { page, settled, clock } = open({ highAccuracy: false });
    page.show('hidden');
    page.permission = permitted('granted');
    const began = clock.now();
    expect(await settled()).toMatchObject({ reason: 'page-hidden' });
    expect(await settled()).toMatchObject({ reason: 'page-hidden' });
    expect([page.asked.length, clock.now() - began]).toEqual([1, 1_000]);
    last(page).success({ coords: LAGOS });
    await clock.pass(0);
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('uses a recent position', async () => {
    const { page, settled, grant } = open();
    grant();
    await settled();
    page.show('hidden');
    expect(await settled()).toMatchObject({ position: LAGOS });
  });

  test('that becomes hidden while the player decides is not waited for; the answer is used when it is visible again', async () => {
    const { page, ask, clock } = open();
    const call = ask();
    await clock.pass(2_000);
    page.show('hidden');
    expect(await call).toMatchObject({ reason: 'page-hidden' });
    expect([clock.pending, page.listeners]).toEqual([0, 0]);
    page.show('visible');
    const back = ask();
    last(page).success({ coords: LAGOS });
    expect(await back).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(1);
  });
});
