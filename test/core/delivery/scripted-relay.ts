import { createClient } from '../../../src/core/client/create-client.js';
import type { RelayedOptions } from '../../../src/core/client/options.js';
import type { RelayReceipt } from '../../../src/core/client/receipt.js';
import type { ReportingError } from '../../../src/core/errors/errors.js';
import type { Fetch } from '../../../src/core/platform/web-types.js';
import { RELAY_HEADER } from '../../../src/core/protocol/headers.js';
import { FakeClock } from '../../support/fake-clock.js';
import { answer, type Scripted } from './scripted-gateway.js';
import { byTransport } from './wire.js';

/** A page's data about the bet: its backend has the player. */
export const bet = { bet_id: 'B-1', amount: 1500, timestamp: '1795162000' };

export const receipt = (changes: object = {}) => ({
  outcome: 'recorded',
  operation: 'reportBetEvent',
  reference: 'B-1',
  environment: 'production',
  attempts: 1,
  location: { latitude: 6.5, longitude: 3.4, source: 'client_ip' },
  ...changes,
});

export const recorded = (changes: object = {}) => answer(200, receipt(changes));

/** A failure in the wire format of a relay. Without its header it could be of any program. */
export const failed = (
  status: number,
  error: object,
  headers: Record<string, string> = { [RELAY_HEADER]: '1' },
): Response =>
  answer(status, { error: { message: 'The relay has something to say.', reference: 'B-1', ...error } }, headers);

export const repeated = () => failed(409, { code: 'duplicate', outcome: 'rejected', conflict: false });

/** A client whose relay answers as scripted, with a clock that does not really wait. */
export function scripted(script: Scripted[], options: Omit<RelayedOptions, 'relayUrl'> = {}) {
  const clock = new FakeClock();
  const sent: { url: string; init: RequestInit & { headers: Record<string, string> } }[] = [];
  const fetch: Fetch = (url, init) => {
    sent.push({ url, init });
    const next = script[sent.length - 1];
    if (next === undefined) throw new Error('the script has no more attempts');
    if (typeof next === 'function') return next(init as RequestInit);
    if (next instanceof Error) return Promise.reject(next);
    return next === 'silence' ? new Promise(() => {}) : Promise.resolve(next);
  };
  const client = createClient({
    relayUrl: 'https://operator.example.com/location-sdk/',
    clock,
    random: () => 0.5,
    ...byTransport(fetch, () => script[sent.length]),
    ...options,
  });
  const run = <T>(promise: Promise<T>) => clock.run(promise);
  return {
    client,
    clock,
    sent,
    run,
    report: (): Promise<RelayReceipt> => run(client.reportBetEvent(bet)),
    /** The error with which a call must end. */
    failure: (call: Promise<unknown> = client.reportBetEvent(bet)): Promise<ReportingError> =>
      run(
        call.then(
          (value) => Promise.reject(new Error(`should have failed, and resolved with ${JSON.stringify(value)}`)),
          (error: ReportingError) => error,
        ),
      ),
  };
}
