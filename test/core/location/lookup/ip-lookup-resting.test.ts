import { describe, expect, test } from 'vitest';
import { createClient, geojs, ipapiCo, type LocationError } from '../../../../src/entries/index.js';
import { failureOf } from '../../../support/failure-of.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { json } from '../../../support/recording-fetch.js';
import {
  ADDRESS,
  hanging,
  knowing,
  lookups,
  refusing,
  service,
  type TestService,
  unknowing,
  unreachable,
} from '../lookups.js';
import { replay } from '../providers/recorded-answers.js';

type Lookup = Parameters<typeof service>[1];

/** Services a, b, c, … whose behaviour can be changed. Nothing is cached. */
function several(behaviours: Lookup[], settings = {}) {
  const now = [...behaviours];
  const services: TestService[] = [];
  const made = lookups(
    (clock) => {
      services.push(
        ...behaviours.map((_lookup, index) =>
          service('abcd'[index] ?? '?', (of) => now[index]?.(of) ?? unknowing(), clock),
        ),
      );
      return services;
    },
    { cacheMs: 0, ...settings },
  );
  return { ...made, now, asked: () => services.map(({ asked }) => asked.length) };
}

describe('a service that refuses', () => {
  test('is paused for 60 seconds, and the step says so', async () => {
    const { steps, find, clock, asked } = several([() => refusing(), knowing]);
    expect(await steps()).toEqual(['a: refused', 'b: found']);
    await clock.pass(18_000);
    const { steps: later } = await find();
    expect(later[0]).toEqual({
      step: 'a',
      reason: 'resting',
      message: 'paused for about 42 s (rate limited by the lookup service)',
      durationMs: 0,
    });
    await clock.pass(41_999);
    expect(await steps()).toEqual(['a: resting', 'b: found']);
    await clock.pass(1);
    expect(await steps()).toEqual(['a: refused', 'b: found']);
    expect(asked()).toEqual([2, 4]);
  });

  test.each([
    ['7', 7_000],
    ['6.25', 6_250],
    ['300', 300_000],
    ['86400', 600_000],
    ['soon', 60_000],
    ['-1', 60_000],
  ])('is paused for its Retry-After, within limits: %s', async (retryAfter, milliseconds) => {
    const { steps, now, clock } = several([() => refusing(retryAfter), knowing]);
    await steps();
    now[0] = knowing;
    await clock.pass(milliseconds - 1);
    expect(await steps()).toEqual(['a: resting', 'b: found']);
    await clock.pass(1);
    expect(await steps()).toEqual(['a: found']);
  });

  test('with a Retry-After of 0 is not paused', async () => {
    const { steps } = several([() => refusing('0'), knowing]);
    await steps();
    expect(await steps()).toEqual(['a: refused', 'b: found']);
  });

  test('is paused for restMs; 0 means no pause', async () => {
    const { steps, clock } = several([() => refusing(), knowing], { restMs: 200 });
    await steps();
    expect(await steps()).toEqual(['a: resting', 'b: found']);
    await clock.pass(200);
    expect(await steps()).toEqual(['a: refused', 'b: found']);
    const restless = several([() => refusing('30'), unreachable, knowing], { restMs: 0 });
    for (const _ of [1, 2]) expect(await restless.steps()).toEqual(['a: refused', 'b: unreachable', 'c: found']);
  });

  test('is paused for every address', async () => {
    const { steps } = several([() => refusing(), knowing]);
    await steps();
    expect(await steps({ ip: '102.89.23.46' })).toEqual(['a: resting', 'b: found']);
  });

  test('is not paused longer because the clock was set back', async () => {
    const { steps, now, clock } = several([() => refusing(), knowing]);
    await steps();
    now[0] = knowing;
    const real = clock.now.bind(clock);
    clock.now = () => real() - 3_600_000;
    expect(await steps()).toEqual(['a: found']);
  });
});

describe('an unreachable service', () => {
  test.each([
    ['cannot be reached', unreachable, 'unreachable'],
    ['does not answer in its time', hanging, 'timeout'],
  ])(
    'that %s is paused for 5 seconds at most, so that it is used again soon after the network is back',
    async (_what, lookup, reason) => {
      const { steps, clock } = several([lookup, knowing]);
      expect(await steps()).toEqual([`a: ${reason}`, 'b: found']);
      await clock.pass(4_999);
      expect(await steps()).toEqual(['a: resting', 'b: found']);
      await clock.pass(1);
      expect(await steps()).toEqual([`a: ${reason}`, 'b: found']);
    },
  );

  test('is not paused because a caller had no time for it', async () => {
    const { steps } = several([hanging]);
    expect(await steps({ within: 100 })).toEqual(['a: timeout']);
    expect(await steps({ within: 100 })).toEqual(['a: timeout']);
  });
});

test.each([
  ['does not know the address', unknowing],
  ['throws', () => Promise.reject(new Error('a bug'))],
])('a service that %s is not paused', async (_what, lookup) => {
  const { steps } = several([lookup, knowing]);
  await steps();
  expect(await steps()).toEqual(['a: bad-answer', 'b: found']);
});

describe('when all other services fail', () => {
  test('the service whose pause ends first is tried nevertheless, and only that one', async () => {
    const { steps, now, asked } = several([() => refusing('100'), () => refusing('40'), unreachable]);
    expect(await steps()).toEqual(['a: refused', 'b: refused', 'c: unreachable']);
    expect(await steps()).toEqual(['a: resting', 'b: resting', 'c: unreachable']);
    now[2] = () => refusing('70');
    expect(await steps()).toEqual(['a: resting', 'b: resting', 'c: refused']);
    now[1] = knowing;
    expect(await steps()).toEqual(['a: resting', 'c: resting', 'b: found']);
    expect(asked()).toEqual([1, 2, 3]);
  });

  test('it is tried after those that are not paused', async () => {
    const { steps, now } = several([() => refusing(), knowing]);
    await steps();
    now[0] = knowing;
    now[1] = unknowing;
    expect(await steps()).toEqual(['b: bad-answer', 'a: found']);
  });

  test('its pause ends once it has answered', async () => {
    const { steps, now } = several([() => refusing(), unknowing]);
    await steps();
    now[0] = knowing;
    expect(await steps()).toEqual(['b: bad-answer', 'a: found']);
    expect(await steps()).toEqual(['a: found']);
  });

  test('a network that recovers is used at once', async () => {
    const { steps, now } = several([unreachable, unreachable, unreachable]);
    expect(await steps()).toEqual(['a: unreachable', 'b: unreachable', 'c: unreachable']);
    now.fill(knowing);
    expect(await steps()).toEqual(['b: resting', 'c: resting', 'a: found']);
    expect(await steps()).toEqual(['a: found']);
  });
});

test('over HTTP: 429 with its Retry-After, 403 and a refusal with status 200 pause a service', async () => {
  const clock = new FakeClock();
  const answers = [() => json('', 403), () => replay('ipapi-co', 'refused')];
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(new URL(url).hostname);
    return answers[url.includes('geojs') ? 0 : 1]?.() ?? json('');
  };
  const client = createClient({ clock, fetch, location: { ip: { providers: [geojs(), ipapiCo()] } } });
  const steps = async () =>
    (await failureOf<LocationError>(client.locate({ clientIP: ADDRESS }))).steps.map(
      ({ step, reason }) => `${step}: ${reason}`,
    );
  expect(await steps()).toEqual(['geojs: refused', 'ipapi.co: refused']);
  answers[1] = () => replay('ipapi-co', 'refusedWith200');
  await clock.pass(59_999);
  // GeoJS is paused for 60 s, ipapi.co for the 120 s that it asked for: GeoJS is available first.
  expect(await steps()).toEqual(['geojs: refused', 'ipapi.co: resting']);
  await clock.pass(60_001);
  expect(await steps()).toEqual(['geojs: refused', 'ipapi.co: refused']);
  expect(asked).toEqual(['get.geojs.io', 'ipapi.co', 'get.geojs.io', 'get.geojs.io', 'ipapi.co']);
});

test('the message about a pause contains no address', async () => {
  const { find } = several([() => refusing(), unreachable]);
  await find();
  expect(JSON.stringify(await find())).not.toContain('102.89');
});
