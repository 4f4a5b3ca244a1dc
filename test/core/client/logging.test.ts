import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ClientOptions } from '../../../src/entries/index.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { answer, bet, lost, once, recorded, type Scripted, scripted } from '../delivery/scripted-gateway.js';

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** The log lines of a report, each with its level. */
async function logged(script: Scripted[], options: ClientOptions = {}) {
  const lines: [string, string][] = [];
  const line = (level: string) => (message: string) => void lines.push([level, message]);
  const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const { client, run } = scripted(script, { logger, ...options });
  await run(client.reportSettledBet(bet).catch(() => {}));
  return lines;
}

afterEach(() => vi.restoreAllMocks());

describe('log lines', () => {
  it('of `debug` tell each attempt, its result with the request id, and each wait, for a success too', async () => {
    const script = [
      answer(503, { message: 'busy' }, { 'x-request-id': ID }),
      lost(),
      answer(200, { message: 'ok' }, { 'x-request-id': ID }),
    ];
    const lines = await logged(script);
    expect(
      lines.map(
        ([level, message]) =>
          `${level} ${message.replace(/after [\d.]+ s/, 'after a while').replace(/ in [\d.]+ s$/, ' in a while')}`,
      ),
    ).toEqual([
      'debug reportSettledBet B-1 (staging): attempt 1 begins',
      `debug reportSettledBet B-1 (staging): attempt 1 ended after a while: HTTP 503: the gateway failed (request ${ID})`,
      'debug reportSettledBet B-1 (staging): attempt 2 begins in a while',
      'debug reportSettledBet B-1 (staging): attempt 2 begins',
      'debug reportSettledBet B-1 (staging): attempt 2 ended after a while: the connection broke before a complete answer came (ECONNRESET)',
      'debug reportSettledBet B-1 (staging): attempt 3 begins in a while',
      'debug reportSettledBet B-1 (staging): attempt 3 begins',
      `debug reportSettledBet B-1 (staging): attempt 3 ended after a while: recorded (request ${ID})`,
    ]);
  });

  it('go to the console as warnings and errors, unless the console itself is the logger', async () => {
    const printed: string[] = [];
    for (const level of LEVELS)
      vi.spyOn(console, level).mockImplementation((line) => void printed.push(`${level} ${line}`));
    const isRecorded = () => {
      throw new Error('no');
    };
    await scripted([recorded()], { ...once, isRecorded }).failure();
    expect(printed).toEqual([expect.stringMatching(/^error location-sdk: The option isRecorded threw/)]);
    printed.length = 0;
    await scripted([recorded()], { logger: console }).report();
    expect(printed[0]).toBe('debug reportSettledBet B-1 (staging): attempt 1 begins');
  });

  it('of an outbox go to the logger of its client', async () => {
    const lines: string[] = [];
    const logger = { debug: (message: string) => void lines.push(message) };
    const { client, run } = scripted([lost(), recorded()], { logger, random: () => 1 });
    const outbox = createOutbox({ client, store: memoryStore(), retry: { baseMs: 20 } });
    outbox.start();
    await run((async () => (await outbox.reportSettledBet(bet)).done)());
    await outbox.stop();
    expect(lines.map((line) => line.replace(/ (ended) .*/, ' $1'))).toEqual(
      [
        'attempt 1 begins',
        'attempt 1 ended',
        'the next attempt begins in 0.02 s at the earliest (network)',
        'attempt 2 begins',
        'attempt 2 ended',
      ].map((line) => `reportSettledBet B-1 (staging): ${line}`),
    );
  });
});

describe('messages name the host, the limit and its option', () => {
  it('of an attempt without an answer', async () => {
    const { failure } = scripted(['silence'], once);
    expect((await failure()).message).toContain('No answer from gateway.example.com within 10 s (attemptTimeoutMs).');
  });

  it('of a call without an answer', async () => {
    const { failure } = scripted(['silence'], { ...once, timeoutMs: 2_500 });
    expect((await failure()).message).toContain(
      'No answer from gateway.example.com within 2.5 s (the rest of timeoutMs).',
    );
  });

  it('of a rate limit that is too long to wait for', async () => {
    const limited = (wait: string) => answer(429, { message: 'slow' }, { 'retry-after': wait });
    expect((await scripted([limited('30')], once).failure()).message).toContain(
      'Rate limited; the gateway asks for 30 s',
    );
    expect((await scripted([limited('60')]).failure()).message).toContain('Rate limited; the gateway asks for 60 s. ');
    expect((await scripted([limited('60')]).failure()).message).toContain(' That is more than 30 s (maxRetryAfterMs).');
    expect((await scripted([answer(429)], once).failure()).message).toContain('Rate limited; call again later.');
  });

  it('of a call that has no time for another attempt', async () => {
    const { failure } = scripted([answer(503, {}, { 'retry-after': '20' })], { timeoutMs: 15_000 });
    expect((await failure()).message).toContain(' No time is left for another attempt (timeoutMs).');
  });
});

describe('messages suggest the right name', () => {
  it('of an environment that is shortened or misspelt', async () => {
    for (const [given, meant] of [
      ['prod', 'production'],
      ['PROD', 'production'],
      ['stage', 'staging'],
      ['produktion', 'production'],
    ]) {
      expect(() => scripted([], { environment: given as never })).toThrow(`did you mean '${meant}'?`);
      expect(
        (await scripted([]).failure(scripted([]).client.reportSettledBet(bet, { environment: given as never })))
          .message,
      ).toContain(`did you mean '${meant}'?`);
    }
    expect(() => scripted([], { environment: 'live' as never })).toThrow(
      "expected 'staging' or 'production', got a string of length 4",
    );
  });

  it('of options as other packages name them', () => {
    const given: object = { apiKey: 'sk-quillback', baseURL: 'https://gateway.example.com', maxRetries: 3, timeout: 5 };
    let message = '';
    try {
      scripted([], given);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(
      'apiKey: unknown field apiKey; its name here is gateways: { staging: { apiKey }, production: { apiKey } }',
    );
    expect(message).toContain(
      'baseURL: unknown field baseURL; its name here is gateways: { staging: { baseUrl }, production: { baseUrl } }',
    );
    expect(message).toContain('maxRetries: unknown field maxRetries; its name here is retry: { limit }');
    expect(message).toContain(
      'timeout: unknown field timeout; its name here is timeoutMs for a call, and attemptTimeoutMs for each attempt',
    );
    expect(message).not.toContain('quillback');
  });

  it('of a location in the place of its options, and of its options in the place of a location', async () => {
    const there = { latitude: 6.4541, longitude: 3.3947 };
    const fixed: object = { fixed: there };
    expect(() => scripted([], { location: there as object })).toThrow(
      'location.latitude: unknown field here; write location: { fixed: { latitude, longitude } }',
    );
    const { client, failure } = scripted([]);
    const { message } = await failure(client.reportBetEvent(bet as never, { location: fixed as never }));
    expect(message).toContain(
      'location.fixed: is an option of createClient; a call takes location: { latitude, longitude }',
    );
    expect(message).not.toContain('6.4541');
  });

  it('of the usual short names of coordinates', async () => {
    const { client, failure } = scripted([]);
    const location: object = { lat: 6.4541, lng: 3.3947 };
    const { message } = await failure(client.reportBetEvent(bet as never, { location: location as never }));
    expect(message).toContain('location.lat: unknown field lat; did you mean latitude?');
    expect(message).toContain('location.lng: unknown field lng; did you mean longitude?');
  });

  it('of an invalid Date', async () => {
    const event = { ...bet, timestamp: new Date('no time') };
    const { client, failure } = scripted([]);
    expect((await failure(client.reportBetEvent(event as never))).message).toContain(
      'timestamp: expected a valid Date, got an invalid Date',
    );
  });
});
