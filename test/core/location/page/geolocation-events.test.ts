import { describe, expect, test } from 'vitest';
import type { GeolocationEvent } from '../../../../src/core/location/page/page.js';
import { LAGOS, last, open, permitted } from './open-page.js';

function listening() {
  const events: GeolocationEvent[] = [];
  return { ...open({}, undefined, (event) => events.push(event)), events };
}

const asked = (permission: string) => ({ type: 'location-asked', permission });
const answered = (durationMs: number, reason?: string) => ({ type: 'location-answered', reason, durationMs });

describe('a page with a listener', () => {
  test('is informed when the browser starts to ask, and when it has a position, once for all callers', async () => {
    const { ask, page, clock, events } = listening();
    const calls = [ask(), ask(), ask()];
    await clock.pass(3_000);
    expect(events).toEqual([asked('prompt')]);
    last(page).success({ coords: LAGOS });
    await Promise.all(calls);
    await clock.pass(0);
    expect(events).toEqual([asked('prompt'), answered(3_000)]);
    expect(JSON.stringify(events)).not.toMatch(/6\.4474|3\.3903/);
    expect(clock.pending).toBe(0);
  });

  test('is informed that no prompt is shown if permission was granted before', async () => {
    const { page, settled, grant, clock, events } = listening();
    page.permission = permitted('granted');
    grant();
    await settled();
    await clock.pass(0);
    expect(events).toEqual([asked('granted'), answered(0)]);
  });

  test('is informed of a refusal', async () => {
    const { settled, refuse, clock, events } = listening();
    refuse(1);
    await settled();
    await clock.pass(0);
    expect(events).toEqual([asked('prompt'), answered(0, 'denied')]);
  });

  test('is informed of an answer that comes after the reports were sent', async () => {
    const { page, settled, clock, events } = listening();
    await settled();
    expect(events).toEqual([asked('prompt')]);
    await clock.pass(20_000);
    last(page).success({ coords: LAGOS });
    await clock.pass(0);
    expect(events).toEqual([asked('prompt'), answered(30_000)]);
  });

  test('is informed of the request before the answer, even if the browser reports the permission late', async () => {
    const { page, settled, grant, clock, events } = listening();
    page.permission = () => new Promise(() => {});
    grant();
    await settled();
    expect(events).toEqual([]);
    await clock.pass(250);
    expect(events).toEqual([asked('prompt'), answered(250)]);
  });

  test('is not informed if the browser is not asked: a recent position, a hidden page, a remembered refusal', async () => {
    const { page, settled, grant, refuse, clock, events } = listening();
    refuse(1);
    await settled();
    await settled();
    page.show('hidden');
    await settled();
    page.show('visible');
    expect(events).toHaveLength(2);
    await clock.pass(60_000);
    grant();
    await settled();
    await settled();
    await clock.pass(0);
    expect(events).toHaveLength(4);
  });

  test('whose clock throws is still located', async () => {
    const { page, ask, grant, clock } = listening();
    grant();
    const { setTimeout } = clock;
    clock.setTimeout = (callback, milliseconds) => {
      if (milliseconds === 250) throw new Error('clock');
      return setTimeout.call(clock, callback, milliseconds);
    };
    expect(await ask()).toMatchObject({ position: LAGOS });
    expect(page.asked).toHaveLength(1);
  });
});
