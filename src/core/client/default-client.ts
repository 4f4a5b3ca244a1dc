import { ConfigurationError } from '../errors/errors.js';
import { isBrowser } from '../platform/runtime.js';
import { isForBackendsOnly, notInPages } from './availability.js';
import type { Client } from './client.js';

/** On the global object, so that the ESM and the CommonJS copy of this package share one default client. */
const DEFAULT_CLIENT = Symbol.for('location-sdk.default-client');

type DefaultClient = Client<'strict'>;

const scope = globalThis as { [DEFAULT_CLIENT]?: DefaultClient };

export const defaultClient = (): DefaultClient | undefined => scope[DEFAULT_CLIENT];

export const configureBy =
  <Options>(createClient: (options: Options) => unknown) =>
  (options: Options): void => {
    scope[DEFAULT_CLIENT] = createClient(options) as DefaultClient;
  };

const CONFIGURE =
  "configure({ relayUrl: '/relay' }) in a page; configure() on a server, which reads the environment's variables";

const fromDefaultClient = <Name extends keyof DefaultClient>(name: Name): DefaultClient[Name] => {
  const call = async (...given: never[]) => {
    const client = defaultClient();
    if (client) return (client[name] as (...given: never[]) => unknown)(...given);
    if (isBrowser() && isForBackendsOnly(name)) throw notInPages(name, 'page');
    throw new ConfigurationError(`${name} was called before configure. Call this first, once: ${CONFIGURE}`, {
      operation: name,
    });
  };
  return call as unknown as DefaultClient[Name];
};

/** `Client.reportBetEvent` of the default client. */
export const reportBetEvent = /* @__PURE__ */ fromDefaultClient('reportBetEvent');

/** `Client.reportSettledBet` of the default client. */
export const reportSettledBet = /* @__PURE__ */ fromDefaultClient('reportSettledBet');

/** `Client.reportWithdrawalEvent` of the default client. */
export const reportWithdrawalEvent = /* @__PURE__ */ fromDefaultClient('reportWithdrawalEvent');

/** `Client.reportSettledWithdrawal` of the default client. */
export const reportSettledWithdrawal = /* @__PURE__ */ fromDefaultClient('reportSettledWithdrawal');

/** `Client.verifyNin` of the default client. */
export const verifyNin = /* @__PURE__ */ fromDefaultClient('verifyNin');

/** `Client.locate` of the default client. */
export const locate = /* @__PURE__ */ fromDefaultClient('locate');

/**
 * Sends the bytes of a failed report again, with the default client. After an `'unknown'` outcome use this instead of a
 * new call. See `Client.resend`.
 */
export const resend = /* @__PURE__ */ fromDefaultClient('resend');
