import { describe, expect, test } from 'vitest';
import type { ClientEvent } from '../../../src/entries/index.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { polluted } from '../../polluted.js';
import { answer, bet, lost, once, recorded, repeated, scripted } from './scripted-gateway.js';
import { failed, scripted as scriptedRelay } from './scripted-relay.js';

const heard = () => {
  const events: ClientEvent[] = [];
  return { events, onEvent: (event: ClientEvent) => void events.push(event) };
};
const about = { operation: 'reportSettledBet', environment: 'staging', reference: 'B-1' };
const started = { type: 'attempt-started', ...about };
const ended = (outcome: string, code?: string) => ({
  type: 'attempt-ended',
  ...about,
  outcome,
  code,
  durationMs: expect.any(Number),
  requestId: undefined,
});

describe('onEvent is called for every attempt', () => {
  test('when it starts and when it ends, retries too', async () => {
    const { events, onEvent } = heard();
    await scripted([lost(), answer(503), recorded()], { onEvent }).report();
    expect(events).toEqual([
      started,
      ended('unknown', 'network'),
      started,
      ended('unknown', 'gateway'),
      started,
      ended('recorded'),
    ]);
  });

  test('at its start, not only when it has ended', async () => {
    const { events, onEvent } = heard();
    const seen: number[] = [];
    const first = async () => {
      seen.push(events.length);
      return recorded();
    };
    await scripted([first], { onEvent }).report();
    expect(seen).toEqual([1]);
  });

  test('with the result of the attempt alone: a duplicate after doubt makes the call a success', async () => {
    const { events, onEvent } = heard();
    expect(await scripted([lost(), repeated()], { onEvent }).report()).toMatchObject({ outcome: 'already-recorded' });
    expect(events.at(-1)).toEqual(ended('rejected', 'duplicate'));
  });

  test('also for one that cannot be sent', async () => {
    const { events, onEvent } = heard();
    const staging = { baseUrl: 'https://gateway.example.com', apiKey: () => Promise.reject(new Error('CANARY')) };
    await scripted([], { onEvent, gateways: { staging } }).failure();
    expect(events).toEqual([started, ended('not-sent', 'configuration')]);
  });

  test.each([null, { outcome: 'not-sent' }])(
    'for a success as success, if all objects inherit a failure: %j',
    async (failure) => {
      const { events, onEvent } = heard();
      const { report } = scripted([recorded()], { onEvent });
      expect(await polluted({ failure }, () => report())).toMatchObject({ outcome: 'recorded' });
      expect(events.at(-1)).toEqual(ended('recorded'));
    },
  );

  test('for a repetition', async () => {
    const { events, onEvent } = heard();
    const { client, failure, run } = scripted([lost(), recorded()], { ...once, onEvent });
    const error = await failure();
    events.length = 0;
    await run(client.resend(error));
    expect(events).toEqual([started, ended('recorded')]);
  });

  test('through a relay, whose outbox accepts', async () => {
    const { events, onEvent } = heard();
    const accepted = answer(202, {
      outcome: 'accepted',
      operation: 'reportBetEvent',
      reference: 'B-1',
      state: 'waiting',
    });
    await scriptedRelay([failed(503, { code: 'network', outcome: 'not-sent' }), accepted], { onEvent }).report();
    const relayed = { operation: 'reportBetEvent', environment: undefined };
    expect(events.filter(({ type }) => type === 'attempt-ended')).toMatchObject([
      { ...relayed, outcome: 'not-sent', code: 'network' },
      { ...relayed, outcome: 'accepted', code: undefined },
    ]);
  });

  test('for an outbox over the client', async () => {
    const { events, onEvent } = heard();
    const { client } = scripted([recorded()], { onEvent });
    const outbox = createOutbox({ client, store: memoryStore() });
    outbox.start();
    await (await outbox.reportSettledBet(bet)).done;
    await outbox.stop();
    expect(events).toEqual([started, ended('recorded')]);
  });

  test('and never with sent values, the key or the gateway’s message', async () => {
    const { events, onEvent } = heard();
    await scripted([answer(422, { message: 'Adaeze Okonkwo is unknown' })], { onEvent }).failure();
    expect(JSON.stringify(events)).not.toMatch(/Adaeze|99012345678|2034567890123|key-1|2175/);
    expect(events).toHaveLength(2);
  });
});

describe('an attempt is not affected by', () => {
  test.each<[string, () => unknown]>([
    [
      'a listener that throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['a listener that rejects', () => Promise.reject(new Error('listener'))],
  ])('%s', async (_what, onEvent) => {
    expect(await scripted([lost(), recorded()], { onEvent }).report()).toMatchObject({
      outcome: 'recorded',
      attempts: 2,
    });
  });

  test('a clock that throws once the attempt has ended', async () => {
    const { clock, client, run } = scripted(
      [
        async () => {
          clock.now = () => {
            throw new Error('clock');
          };
          return recorded();
        },
      ],
      { onEvent: () => {} },
    );
    expect(await run(client.reportSettledBet(bet))).toMatchObject({ outcome: 'recorded' });
  });
});
