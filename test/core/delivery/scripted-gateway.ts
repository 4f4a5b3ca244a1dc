import { createClient } from '../../../src/core/client/create-client.js';
import type { ClientOptions } from '../../../src/core/client/options.js';
import type { ReportingError } from '../../../src/core/errors/errors.js';
import type { Fetch } from '../../../src/core/platform/web-types.js';
import { FakeClock } from '../../support/fake-clock.js';
import { byTransport } from './wire.js';

/** The result of one attempt: an answer, an error of `fetch`, silence, or the result of a function of the request. */
export type Scripted = Response | Error | 'silence' | ((init: RequestInit) => Promise<Response>);

/** An answer with a length, so that it is complete over a socket too. */
export function answer(
  status: number,
  body: unknown = { message: 'ok' },
  headers: Record<string, string> = {},
): Response {
  const text = body === null || typeof body === 'string' ? body : JSON.stringify(body);
  const length = { 'content-length': String(new TextEncoder().encode(text ?? '').byteLength) };
  return new Response(text, { status, headers: status === 204 ? headers : { ...length, ...headers } });
}

export const broken = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`it broke: ${code}`), { code }) });

export const lost = () => broken('ECONNRESET');
export const unreachable = () => broken('ECONNREFUSED');
export const recorded = () => answer(200);
export const repeated = () => answer(409, { message: 'This data has already been reported' });
export const conflicting = () => answer(409, { message: 'This bet has already been reported with different data' });

export const bet = {
  bet_id: 'B-1',
  user: {
    user_id: 'U-1',
    first_name: 'Adaeze',
    last_name: 'Okonkwo',
    resident_address: '4 Ogui Road',
    resident_lga: 'Enugu North',
    resident_state: 'ENUGU',
    is_resident: true,
    nin: '99012345678',
    tax_id: '2034567890123',
  },
  win_amount: 2175,
  payout_amount: 3675,
  outcome: 'WIN',
  ggr: -2175,
  ur: 0,
};

/** A client over a script of attempts and a clock that does not really wait. */
export function scripted(script: Scripted[], options: ClientOptions = {}) {
  const clock = new FakeClock();
  const sent: { url: string; init: RequestInit }[] = [];
  const fetch: Fetch = (url, init) => {
    sent.push({ url, init: init as RequestInit });
    const next = script[sent.length - 1];
    if (next === undefined) throw new Error('the script has no more attempts');
    if (typeof next === 'function') return next(init as RequestInit);
    if (next instanceof Error) return Promise.reject(next);
    if (next === 'silence') return new Promise(() => {});
    return Promise.resolve(next);
  };
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key-1' } },
    ...byTransport(fetch, () => script[sent.length]),
    clock,
    random: () => 0.5,
    ...options,
  });
  const run = <T>(promise: Promise<T>) => clock.run(promise);
  return {
    client,
    clock,
    sent,
    report: () => run(client.reportSettledBet(bet)),
    /** The error with which the report must end. */
    failure: async (call: Promise<unknown> = client.reportSettledBet(bet)): Promise<ReportingError> =>
      run(
        call.then(
          (value) => Promise.reject(new Error(`should have failed, and resolved with ${JSON.stringify(value)}`)),
          (error: ReportingError) => error,
        ),
      ),
    run,
  };
}

export const once: ClientOptions = { retry: { limit: 0 } };
