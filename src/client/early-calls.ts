import { TimeoutError } from '../errors/errors.js';
import * as guards from '../errors/guards.js';
import { LONGEST_TIMER_MS } from '../platform/time.js';

/** A client that the stub made: the real one is made with its first call. */
export interface EarlyClient {
  readonly options: never;
}

/** A call that a page made before its script had come. */
export type EarlyCall = [
  name: string,
  given: never[],
  resolve: (value: never) => void,
  reject: (error: unknown) => void,
  /** Where it is a method of a client. */
  of?: EarlyClient | undefined,
];

const METHODS = ['reportBetEvent', 'reportWithdrawalEvent', 'locate', 'resend', 'reportSettledBet', 'reportSettledWithdrawal', 'verifyNin'];

/** What stands for `LocationSDK` until its script has come: it keeps the calls, and ends each that has waited for `limitMs`. */
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
            // Not in the queue any more: the script has come and made it.
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
    ...guards,
    ...methods(),
    configure: later('configure'),
    locationPermission: later('locationPermission'),
    createClient: (options: never) => methods({ options }),
    queue,
  };
}
