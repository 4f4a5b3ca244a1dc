import { expect, test } from 'vitest';
import { type ErrorCode, hasCode, isErrorCode, makeError } from '../../../src/core/errors/errors.js';
import type { WebAnswer } from '../../../src/core/web/answer.js';
import { newId } from '../../../src/core/web/hooks.js';
import { createClient, isReportingError, type ReportingError } from '../../../src/entries/index.js';
import { answerForError, broken, invalid, refusals, tooMany, toResponse } from '../../../src/http/relay/answers.js';
import { betEvent } from '../../support/factories.js';
import { pageBet, relayWorld } from './world.js';

const CODES = Object.keys({
  configuration: 1,
  validation: 1,
  location: 1,
  network: 1,
  timeout: 1,
  aborted: 1,
  'bad-request': 1,
  authentication: 1,
  'not-found': 1,
  duplicate: 1,
  unprocessable: 1,
  'rate-limited': 1,
  gateway: 1,
} satisfies Record<ErrorCode, number>).filter(isErrorCode);

/** Everything that a relay answers about a failure. */
const ANSWERS: readonly [string, WebAnswer][] = [
  ...Object.entries(refusals),
  ['a fault', broken(newId())],
  ['too many', tooMany(30_000, 'not-sent')],
  [
    'invalid',
    invalid([
      {
        path: 'timestamp',
        code: 'invalid',
        message: 'expected a number from -90 to 90, divide by 1000, got another number',
      },
    ]),
  ],
  ...CODES.flatMap((code) =>
    (['not-sent', 'rejected', 'unknown'] as const).map((outcome): [string, WebAnswer] => {
      const error = makeError(code, 'Adaeze Okonkwo', {
        outcome,
        steps: [{ step: 'gps', reason: 'denied', message: 'Adaeze', durationMs: 1 }],
      });
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      return [
        `${code}, ${outcome}`,
        answerForError(error, { operation: 'reportBetEvent', reference: 'BET-1', owned: [], logger }),
      ];
    }),
  ),
];

/** The error of a page whose relay answers so. The event holds words of the relay's sentences. */
async function errorOf(answer: () => Response | Promise<Response>): Promise<ReportingError> {
  const client = createClient({
    relayUrl: 'https://relay.example.com',
    retry: { limit: 0 },
    fetch: () => Promise.resolve(answer()),
  });
  const event = { ...betEvent(), metadata: { market: 'the same event', note: 'recorded again', team: 'It may be' } };
  const error: unknown = await client
    .reportBetEvent(event, { location: { latitude: 6.5, longitude: 3.4, source: 'gps' } })
    .catch((thrown: unknown) => thrown);
  if (!isReportingError(error)) throw new Error('expected a failure');
  return error;
}

const messageOf = (answer: WebAnswer): string => JSON.parse(JSON.stringify(answer.body)).error.message;

test.each(ANSWERS)("a page shows the relay's own words unchanged: %s", async (_, answer) => {
  const error = await errorOf(() => toResponse(answer));
  if (answer.status < 500 || messageOf(answer))
    expect(error.message).toContain(`The relay said: "${messageOf(answer)}"`);
  expect(error.message).not.toContain('[masked]');
  if (hasCode(error, 'validation')) for (const { message } of error.issues) expect(message).not.toContain('[masked]');
  if (hasCode(error, 'location')) for (const { message } of error.steps) expect(message).toBe('gave no location');
});

test('a page shows what a real relay says', async () => {
  const { send } = relayWorld();
  const { status, text, headers } = await send({
    body: pageBet({ amount: 'much' as never, location: { latitude: 91, longitude: 3, source: 'gps' } }),
  });
  const error = await errorOf(() => new Response(text, { status, headers }));
  expect(error).toMatchObject({ code: 'validation', status: 400 });
  expect(error.message).toContain('location.latitude: expected a number from -90 to 90, got another number');
  expect(error.message).not.toContain('[masked]');
});

test('a page shows no words of another server, with the same body', async () => {
  const message = 'Adaeze Okonkwo';
  const error = await errorOf(() =>
    Response.json({ error: { code: 'gateway', message, outcome: 'unknown' } }, { status: 502 }),
  );
  expect(error.message).not.toContain('The relay said');
  expect(error.message).not.toMatch(/Adaeze|Okonkwo/);
});
