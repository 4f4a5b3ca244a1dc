import { deliver } from '../delivery/deliver.js';
import { attachedReport, attachReport } from '../delivery/frozen-report.js';
import { sendOnce, unsentResult, withAttemptEvents } from '../delivery/send-once.js';
import { ValidationError } from '../errors/errors.js';
import { PLAYER_HEADER } from '../protocol/headers.js';
import { type OperationName, ofReports } from '../protocol/operations.js';
import type { ValidationMode } from '../schema/model.js';
import type { NinVerification } from '../schema/nin.js';
import type { ClientParts } from './channel-options.js';
import { checkCallOptions, type Parameters } from './check-call.js';
import { resolveOptions, type Settings } from './config.js';
import { createFreezeReport, type FreezeReport, requireChannel } from './freeze.js';
import { type ClientInternals, withInternals } from './internals.js';
import type { CallOptions, ClientOptions, RelayedOptions } from './options.js';
import type { ClientMode, Payloads } from './payloads.js';
import { type LocateResult, type Receipt, type ReceiptOf, type RelayReceipt, receiptOf } from './receipt.js';
import { createLocationResolver, type LocationFound } from './resolve-location.js';

/**
 * The service's functions over one set of options. Every method rejects with a `ReportingError`: its `code` gives the
 * kind of failure, and its `outcome` says whether the gateway has recorded the report.
 *
 * `Client` without a type argument is any client, also one with `relayUrl`: it takes whole payloads, and its receipts
 * may be those of a relay. `createClient` gives the exact type: `Client<'strict'>` on a backend, `Client<'partial'>` or
 * `Client<'relay'>`.
 */
export interface Client<Mode extends ClientMode = ClientMode> {
  /**
   * Reports an initiated bet, with the player's location: step 1 of 4 (specification, section 1).
   *
   * @example
   * ```ts
   * const receipt = await client.reportBetEvent(bet, { clientIP: request.ip });
   * ```
   */
  reportBetEvent(bet: Payloads<Mode>['reportBetEvent'], options?: CallOptions): Promise<ReceiptOf<Mode>>;

  /**
   * Reports a settled bet: step 2 of 4 (specification, section 4.1). Not in a browser.
   *
   * @example
   * ```ts
   * await client.reportSettledBet({ bet_id: 'B-1', user, win_amount: 0, payout_amount: 0, outcome: 'LOSS', ggr: 1500, ur: 0 });
   * ```
   */
  reportSettledBet(bet: Payloads<Mode>['reportSettledBet'], options?: CallOptions): Promise<ReceiptOf<Mode>>;

  /**
   * Reports an initiated withdrawal, with the player's location: step 3 of 4 (specification, section 1).
   *
   * @example
   * ```ts
   * const { location } = await client.reportWithdrawalEvent(withdrawal, { clientIP: request.ip });
   * ```
   */
  reportWithdrawalEvent(
    withdrawal: Payloads<Mode>['reportWithdrawalEvent'],
    options?: CallOptions,
  ): Promise<ReceiptOf<Mode>>;

  /**
   * Reports a settled withdrawal: step 4 of 4 (specification, section 4.2). Not in a browser. Its `location` is usually
   * the one in the initiated withdrawal's receipt. If it is left out, it is found as for an event.
   *
   * @example
   * ```ts
   * await client.reportSettledWithdrawal({ ...withdrawal, status: 'SUCCESS', timestamp: new Date(), location });
   * ```
   */
  reportSettledWithdrawal(
    withdrawal: Payloads<Mode>['reportSettledWithdrawal'],
    options?: CallOptions,
  ): Promise<ReceiptOf<Mode>>;

  /**
   * Verifies a national identification number (specification, section 4.3). Not in a browser. It also resolves for a
   * number that is not verified: check `success`.
   *
   * @example
   * ```ts
   * const { success, data } = await client.verifyNin({ nin: '99012345678' });
   * ```
   */
  verifyNin(nin: Payloads<Mode>['verifyNin'], options?: CallOptions): Promise<NinVerification>;

  /**
   * Finds the player's location without reporting anything, for example to ask for permission before the first bet. The
   * result also says how the location was found. Rejects with a `LocationError` if no source gives one.
   *
   * @example
   * ```ts
   * const { latitude, longitude, source, ageMs } = await client.locate();
   * ```
   */
  locate(options?: Omit<CallOptions, 'location'>): Promise<LocateResult>;

  /**
   * Sends the report that an error keeps again, with the same bytes and this client's key: use a client of the same
   * licence. Use it after `outcome: 'unknown'`: a new call would take a new time and location, and so would send other
   * data. If the gateway answers that it has the same data, the call resolves with `'already-recorded'`.
   *
   * @example
   * ```ts
   * catch (error) {
   *   if (isReportingError(error) && error.outcome === 'unknown') await client.resend(error);
   * }
   * ```
   */
  resend(error: unknown, options?: Pick<CallOptions, 'signal' | 'timeoutMs'>): Promise<ReceiptOf<Mode>>;
}

/** The function that makes a client. */
export interface CreateClient {
  /**
   * Makes a client for a page, whose reports go through your backend's relay. Throws a `ConfigurationError` that lists
   * every wrong option.
   *
   * @example
   * ```ts
   * const client = createClient({ relayUrl: '/relay' });
   * await client.reportBetEvent({ bet_id: 'B-1', amount: 1500 });
   * ```
   */
  (options: RelayedOptions): Client<'relay'>;
  /**
   * Makes a client for a backend: its reports go to the gateway, with your key. Throws a `ConfigurationError` that
   * lists every wrong option, or every unsafe address and key. An environment that is not set up is an error only when
   * it is used.
   *
   * @example
   * ```ts
   * const client = createClient({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey } } });
   * await client.reportBetEvent(bet, { clientIP: request.ip });
   * ```
   */
  <Mode extends ValidationMode = 'strict'>(options?: ClientOptions<Mode>): Client<Mode>;
}

export const clientOf =
  (parts: ClientParts): CreateClient =>
  <Mode extends ClientMode>(options: ClientOptions<ValidationMode> = {}): Client<Mode> =>
    makeClient<Mode>(resolveOptions(options, parts));

function makeClient<Mode extends ClientMode>(settings: Settings): Client<Mode> {
  const { clock, channel } = settings;
  const resolveLocation = createLocationResolver(settings);
  const freeze = createFreezeReport(settings, resolveLocation);

  const report = async (operation: OperationName, payload: unknown, options: unknown): Promise<ReceiptOf<Mode>> => {
    const { report, delivery } = await freeze(operation, payload, options);
    return receiptOf(report, await deliver(report, delivery, settings)) as ReceiptOf<Mode>;
  };

  const client: Client<Mode> = {
    ...ofReports((name) => (payload: unknown, options?: unknown) => report(name, payload, options)),
    verifyNin: async (nin, options) => {
      const { report, delivery } = await freeze('verifyNin', typeof nin === 'object' ? nin : { nin }, options);
      return (await deliver(report, delivery, settings)).body as NinVerification;
    },
    locate: async (options) => {
      if (channel.kind === 'relay') requireChannel(channel, 'locate');
      const parameters = checkCallOptions(
        'locate',
        options,
        ['environment', 'clientIP', 'signal', 'timeoutMs'],
        settings,
        'not-sent',
      );
      const deadline = clock.now() + parameters.timeoutMs;
      const purpose = { operation: 'locate', reference: undefined, deadline, required: true };
      const { location, ageMs, steps } = (await resolveLocation(parameters, purpose)) as LocationFound;
      return { ...location, ageMs, steps };
    },
    resend: async (error, options) => (await resend(error, options, settings)) as ReceiptOf<Mode>,
  };
  return withInternals(client, internalsWith(settings, freeze));
}

async function resend(error: unknown, options: unknown, settings: Settings): Promise<Receipt | RelayReceipt> {
  const frozen = attachedReport(error);
  if (!frozen) {
    const message = 'expected the error of a report that was sent, as it was thrown';
    throw new ValidationError(`resend: ${message}; this value keeps no report. Nothing was sent.`, {
      operation: 'resend',
      issues: [{ path: 'error', code: 'invalid', message }],
    });
  }
  // A duplicate answer leaves no doubt of its own: the same answer again would prove nothing.
  const { outcome, code } = error as { outcome?: unknown; code?: unknown };
  const inDoubt = outcome === 'unknown' && code !== 'duplicate';
  let parameters: Parameters;
  try {
    const outcomeIfWrong = inDoubt ? 'unknown' : 'not-sent';
    parameters = checkCallOptions('resend', options, ['signal', 'timeoutMs'], settings, outcomeIfWrong);
  } catch (wrong) {
    // Wrong options do not change the report: it stays in doubt if it was, and is kept for the next try.
    if (wrong instanceof ValidationError) attachReport(wrong, frozen);
    throw wrong;
  }
  const { channel, clock } = settings;
  const { signal, timeoutMs } = parameters;
  const delivery = { exchange: channel.open(frozen), signal, deadline: clock.now() + timeoutMs, inDoubt };
  return receiptOf(frozen, await deliver(frozen, delivery, settings));
}

function internalsWith(settings: Settings, freeze: FreezeReport): ClientInternals {
  const { clock, random, logger, attemptTimeoutMs, environment, mockMode, channel } = settings;
  return {
    clock,
    random,
    logger,
    attemptTimeoutMs,
    environment,
    mockMode,
    kind: channel.kind,
    gateways: channel.addresses,
    missing(of) {
      const exchange = channel.open({ operation: 'reportBetEvent', environment: of });
      return 'code' in exchange ? exchange.text : undefined;
    },
    async freeze(operation, payload, options, earlierLocation) {
      const { report, delivery } = await freeze(operation, payload, options, { earlierLocation });
      return { report, signal: delivery.signal };
    },
    async attempt(report, { signal, milliseconds, player, attempt }) {
      const exchange = channel.open(report, player ? { [PLAYER_HEADER]: player } : undefined);
      if ('code' in exchange) return unsentResult(report, exchange);
      const deadline = clock.now() + milliseconds;
      const limit = () => ({
        clock,
        signal,
        milliseconds: Math.min(attemptTimeoutMs, deadline - clock.now()),
        option: 'attemptTimeoutMs',
      });
      return withAttemptEvents(report, settings, attempt, () => sendOnce(report, exchange, limit, settings));
    },
  };
}
