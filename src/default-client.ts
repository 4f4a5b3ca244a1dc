import { type Client, createClient } from './client.js';
import { ConfigurationError } from './errors.js';
import type { ClientOptions } from './options.js';
import type { ValidationMode } from './schema/model.js';

/** On the global object, so that the ESM and the CommonJS copy of this package share one default client. */
const DEFAULT_CLIENT = Symbol.for('location-sdk.default-client');

const scope = globalThis as { [DEFAULT_CLIENT]?: Client };

/**
 * Sets up the client behind the functions of this module; calling it again replaces it. Throws a
 * `ConfigurationError` as `createClient` does.
 *
 * @example
 * ```ts
 * configure({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey } } });
 * await reportSettledBet(bet);
 * ```
 */
export function configure<Mode extends ValidationMode = 'strict'>(options: ClientOptions<Mode> = {}): void {
  scope[DEFAULT_CLIENT] = createClient(options) as Client;
}

const withDefault = async <T>(operation: string, use: (client: Client) => Promise<T>): Promise<T> => {
  const client = scope[DEFAULT_CLIENT];
  if (client) return use(client);
  throw new ConfigurationError(
    `${operation} was called before configure. Write this line first, once: configure({ gateways: { staging: { baseUrl: 'https://…', apiKey: '…' } } })`,
    { operation },
  );
};

/** `Client.reportBetEvent` of the default client. */
export const reportBetEvent: Client['reportBetEvent'] = (bet, options) => withDefault('reportBetEvent', (client) => client.reportBetEvent(bet, options));

/** `Client.reportSettledBet` of the default client. */
export const reportSettledBet: Client['reportSettledBet'] = (bet, options) =>
  withDefault('reportSettledBet', (client) => client.reportSettledBet(bet, options));

/** `Client.reportWithdrawalEvent` of the default client. */
export const reportWithdrawalEvent: Client['reportWithdrawalEvent'] = (withdrawal, options) =>
  withDefault('reportWithdrawalEvent', (client) => client.reportWithdrawalEvent(withdrawal, options));

/** `Client.reportSettledWithdrawal` of the default client. */
export const reportSettledWithdrawal: Client['reportSettledWithdrawal'] = (withdrawal, options) =>
  withDefault('reportSettledWithdrawal', (client) => client.reportSettledWithdrawal(withdrawal, options));

/** `Client.verifyNin` of the default client. */
export const verifyNin: Client['verifyNin'] = (nin, options) => withDefault('verifyNin', (client) => client.verifyNin(nin, options));

/** `Client.locate` of the default client. */
export const locate: Client['locate'] = (options) => withDefault('locate', (client) => client.locate(options));

/** `Client.resend` of the default client. */
export const resend: Client['resend'] = (error, options) => withDefault('resend', (client) => client.resend(error, options));
