import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { betEvent } from '../../support/factories.js';

const LOCATION = { latitude: 6.45, longitude: 3.39, source: 'test' };
const warnings: Error[] = [];
const hear = (warning: Error) => void warnings.push(warning);
beforeEach(() => {
  warnings.length = 0;
  process.on('warning', hear);
});
afterEach(() => void process.off('warning', hear));

/** A client whose gateway answers when the test says so. */
function waiting() {
  const answers: (() => void)[] = [];
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } },
    fetch: () => new Promise((resolve) => answers.push(() => resolve(Response.json({ message: 'ok' })))),
  });
  return { client, answers };
}

it('fifty calls with one signal cause no warning about listeners, and leave none', async () => {
  const { client, answers } = waiting();
  const { signal } = new AbortController();
  const calls = Array.from({ length: 50 }, (_, index) =>
    client.reportBetEvent(betEvent({ bet_id: `B-${index}` }), { location: LOCATION, signal }),
  );
  await expect.poll(() => answers).toHaveLength(50);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const answer of answers) answer();
  await Promise.all(calls);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('an abort ends every call that shares the signal, and none that ended before', async () => {
  const { client, answers } = waiting();
  const controller = new AbortController();
  const options = { location: LOCATION, signal: controller.signal };
  const first = client.reportBetEvent(betEvent({ bet_id: 'B-0' }), options);
  await expect.poll(() => answers).toHaveLength(1);
  const others = [1, 2].map((index) => client.reportBetEvent(betEvent({ bet_id: `B-${index}` }), options));
  await expect.poll(() => answers).toHaveLength(3);
  answers[0]?.();
  expect(await first).toMatchObject({ outcome: 'recorded' });
  controller.abort();
  for (const call of others) await expect(call).rejects.toMatchObject({ code: 'aborted', outcome: 'unknown' });
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});
