import { describe, expect, it } from 'vitest';
import { ABORTED, duplicateFailure, OUT_OF_TIME, readAnswer, resultOf } from '../../../src/core/delivery/failures.js';
import type { Attempted } from '../../../src/core/delivery/transport.js';
import { systemClock } from '../../../src/core/platform/time.js';

const read = () => ({ kind: 'recorded', outcome: 'recorded', message: undefined }) as const;

const answered = (status: number, text: string | undefined, measured = false): Attempted => ({
  ended: 'answered',
  status,
  text,
  measured,
  header: (name) => (name === 'retry-after' ? '7' : null),
});

const asked = { host: () => 'gateway.example.com', within: () => 'within 10 s (attemptTimeoutMs)', isReport: true };

const failureOf = (attempted: Attempted) => {
  const result = resultOf(attempted, asked, systemClock, read);
  return result.kind === 'recorded' ? undefined : result;
};

const TEXTS = {
  'no text, since it was too long': undefined,
  nothing: '',
  'a line break': '\r\n',
  'a number': '12',
  'half of a JSON text': '{"message":"no su',
  HTML: '<h1>No</h1>',
  'a whole JSON text': '{"message":"no such bet"}',
} as const;
type Text = keyof typeof TEXTS;

/** Answers that may have lost their end. */
const OPEN_ENDED: readonly Text[] = ['nothing', 'a line break', 'a number'];
const NOT_JSON: readonly Text[] = ['no text, since it was too long', 'half of a JSON text', 'HTML'];

describe('an answer without proof of its length', () => {
  it.each([
    ...[200, 204, 299].map((status) => ({ status, broken: OPEN_ENDED })),
    ...[400, 401, 404, 409, 429, 499].map((status) => ({ status, broken: [...OPEN_ENDED, ...NOT_JSON] })),
    ...[0, 100, 199, 300, 302, 399, 408, 500, 503, 599].map((status) => ({ status, broken: [] })),
  ])('with $status may be incomplete if it is one of: $broken', ({ status, broken }) => {
    const found = Object.entries(TEXTS).flatMap(([name, text]) => (failureOf(answered(status, text)) ? [name] : []));
    expect(found.sort()).toEqual([...broken].sort());
  });

  it.each([
    { status: 200, foreign: false },
    { status: 400, foreign: true },
    { status: 403, foreign: true },
  ])(
    "with $status leaves the report in doubt, obeys the answer's Retry-After, and foreign is $foreign",
    ({ status, foreign }) => {
      expect(failureOf(answered(status, ''))).toStrictEqual({
        code: 'network',
        text: `HTTP ${status}: the answer may be incomplete, since it is not JSON and has no content-length; ${status < 300 ? 'over HTTP/2 (Node.js 26) pass nodeTransport() as transport, or let the gateway send one' : 'is the base address right?'}`,
        outcome: 'unknown',
        retryable: true,
        foreign,
        details: { status, retryAfterMs: 7_000 },
      });
    },
  );
});

it.each([200, 204, 299, 400, 404, 409, 429, 499])('an answer with %i that was read to its end counts', (status) => {
  expect(Object.values(TEXTS).map((text) => resultOf(answered(status, text, true), asked, systemClock, read))).toEqual(
    Object.values(TEXTS).map(read),
  );
});

describe('an answer that is longer than 256 KiB', () => {
  const long = (length: number) => `"${'a'.repeat(length - 2)}"`;
  const bodyOf = (status: number, length: number, isReport: boolean) => {
    let body: unknown;
    resultOf(answered(status, long(length), true), { ...asked, isReport }, systemClock, (answer) => {
      body = answer.body;
      return read();
    });
    return typeof body;
  };

  it.each([200, 299, 300, 422, 503])('is not read: %i', (status) => {
    expect(bodyOf(status, 262_144, true)).toBe('string');
    expect(bodyOf(status, 262_145, true)).toBe('undefined');
    expect(readAnswer(status, long(262_145))).toStrictEqual({ status, body: undefined, json: false });
  });

  it('is read only if it holds a verified identity, with its images', () => {
    for (const status of [200, 299]) expect(bodyOf(status, 4_000_000, false)).toBe('string');
    for (const status of [199, 300, 422, 503]) expect(bodyOf(status, 262_145, false)).toBe('undefined');
  });
});

it.each([
  { text: undefined, answer: { body: undefined, json: false } },
  { text: '', answer: { body: undefined, json: true } },
  { text: ' \n', answer: { body: undefined, json: true } },
  { text: ' {"a":1}\n', answer: { body: { a: 1 }, json: true } },
  { text: 'null', answer: { body: null, json: true } },
  { text: '{"a":1', answer: { body: '{"a":1', json: false } },
])('the text $text of an answer is $answer', ({ text, answer }) => {
  expect(readAnswer(200, text)).toStrictEqual({ status: 200, ...answer });
});

describe('an attempt without an answer', () => {
  const broken = { text: 'the connection was refused', retryable: true };

  it("from a transport's message names the host", () => {
    const failure = { text: 'could not connect to the remote host (ECONNREFUSED)', notSent: true, retryable: true };
    expect(failureOf({ ended: 'broken', failure })).toMatchObject({
      text: 'could not connect to gateway.example.com (ECONNREFUSED)',
    });
  });

  it.each<[string, Attempted, object]>([
    [
      'cancelled before it was sent',
      { ended: 'aborted', unsent: true },
      { code: 'aborted', text: 'cancelled by its signal', outcome: 'not-sent' },
    ],
    [
      'cancelled after it was sent',
      { ended: 'aborted' },
      { code: 'aborted', text: 'cancelled by its signal', outcome: 'unknown' },
    ],
    [
      'timed out before it was sent',
      { ended: 'timeout', unsent: true },
      {
        code: 'timeout',
        text: 'No connection to gateway.example.com within 10 s (attemptTimeoutMs)',
        outcome: 'not-sent',
        retryable: true,
      },
    ],
    [
      'timed out after it was sent',
      { ended: 'timeout' },
      {
        code: 'timeout',
        text: 'No answer from gateway.example.com within 10 s (attemptTimeoutMs)',
        outcome: 'unknown',
        retryable: true,
      },
    ],
    [
      'that was certainly not sent',
      { ended: 'broken', failure: { ...broken, notSent: true } },
      { code: 'network', text: broken.text, outcome: 'not-sent', retryable: true, foreign: false },
    ],
    [
      'that may have been sent, and a proxy that says so',
      { ended: 'broken', failure: { ...broken, notSent: false, foreign: true } },
      { code: 'network', text: broken.text, outcome: 'unknown', retryable: true, foreign: true },
    ],
  ])('%s', (_, attempted, failure) => {
    expect(failureOf(attempted)).toStrictEqual(failure);
  });

  it('that did not begin have their own messages', () => {
    expect([ABORTED.text, OUT_OF_TIME.text]).toEqual(['cancelled by its signal', 'timed out before it was sent']);
  });
});

describe('a duplicate', () => {
  it.each([true, false])('with other data is certainly refused (in a page: %s)', (inPage) => {
    expect(duplicateFailure(409, 'conflict', inPage)).toStrictEqual({
      code: 'duplicate',
      text: 'the gateway has other data under this reference (a new timestamp or location is other data too); compare your records',
      outcome: 'rejected',
      certain: true,
      details: { status: 409, conflict: true },
    });
  });

  it('with the same data was sent by another call', () => {
    expect(duplicateFailure(409, 'same', false)).toStrictEqual({
      code: 'duplicate',
      text: 'the gateway already has this report, and this call did not send it; do not send it again',
      outcome: 'rejected',
      details: { status: 409, conflict: false },
    });
  });

  it("with the same data may be a page's own request, which its browser repeated", () => {
    expect(duplicateFailure(400, 'same', true)).toStrictEqual({
      code: 'duplicate',
      text: 'the gateway already has this report, perhaps from this call: browsers and phones repeat requests by themselves',
      outcome: 'unknown',
      details: { status: 400, conflict: false },
      advice: 'Compare your records.',
    });
  });
});
