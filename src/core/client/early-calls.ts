import { isReportingError, TimeoutError } from '../errors/errors.js';
import { LONGEST_TIMER_MS } from '../platform/time.js';

/** A client that the stub made. Its first call makes the real client. */
export interface EarlyClient {
  readonly options: never;
}

/** A call that a page made before the script had loaded. */
export type EarlyCall = [
  name: string,
  given: never[],
  resolve: (value: never) => void,
  reject: (error: unknown) => void,
  /** Present if it is a method of a client. */
  of?: EarlyClient | undefined,
];

const METHODS = [
  'reportBetEvent',
  'reportWithdrawalEvent',
  'locate',
  'resend',
  'reportSettledBet',
  'reportSettledWithdrawal',
  'verifyNin',
];

/**
 * The stub for `LocationSDK` until its script has loaded. It keeps the calls, and ends each one that has waited for
 * `limitMs`.
 */
export function earlyGlobal(limitMs: number) {
  const queue: EarlyCall[] = [];

  const later =
    (name: string, of?: EarlyClient) =>
    (...given: never[]) =>
      new Promise<never>((resolve, reject) => {
        const call: EarlyCall = [name, given, resolve, reject, of];
        queue.push(call);
        setTimeout(
          () => {
            const index = queue.indexOf(call);
            // It is no longer in the queue: the script has loaded and made the call.
            if (index < 0) return;
            // A late script must still be configured: later calls need it.
            if (name !== 'configure') queue.splice(index, 1);
            const message = `${name}: the script of location-sdk did not load within ${limitMs} ms (data-timeout-ms). Nothing was sent. Check the script's address, and call again.`;
            reject(new TimeoutError(message, { operation: name, retryable: true }));
          },
          Math.min(limitMs, LONGEST_TIMER_MS),
        );
      });

  const methods = (of?: EarlyClient) => Object.fromEntries(METHODS.map((name) => [name, later(name, of)]));
  return {
    isReportingError,
    ...methods(),
    configure: later('configure'),
    locationPermission: later('locationPermission'),
    postOnce: later('postOnce'),
    createClient: (options: never) => methods({ options }),
    queue,
  };
}
