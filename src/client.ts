import { withDoor } from './client-door.js';
import { type PartDefaults, resolveOptions, type Settings } from './config.js';
import { isDuplicate, isRecorded } from './delivery/answer.js';
import { type Delivered, deliver, isRelay } from './delivery/deliver.js';
import { type AnyReport, keepFrozen, keptFrozen } from './delivery/frozen.js';
import { untilPageHides } from './delivery/leaving-page.js';
import { ConfigurationError, ValidationError } from './errors.js';
import { PLAYER_HEADER } from './hash.js';
import type { LocateResult } from './locate-result.js';
import { freeipapi } from './location/providers/freeipapi.js';
import { geojs } from './location/providers/geojs.js';
import { ipapiCo } from './location/providers/ipapi-co.js';
import { subjectOf } from './messages.js';
import { type OperationName, operations } from './operations.js';
import type { CallOptions, ClientOptions, RelayedOptions } from './options.js';
import type { ClientMode, Payloads } from './payloads.js';
import { type Parameters, type PrepareContext, prepare, prepareOptions } from './prepare.js';
import { type ReceiptOf, receiptOf } from './receipt.js';
import { RELAY_ONLY } from './relay-only.js';
import { createLocationResolver } from './resolve-location.js';
import type { ValidationMode } from './schema/model.js';
import type { NinVerification } from './schema/nin.js';
import { toJson } from './schema/to-json.js';

/**
 * The functions of the service over one set of options. Every method rejects with a `ReportingError` whose
 * `code` says what kind of failure it was and whose `outcome` says whether the gateway holds the report.
 */
export interface Client<Mode extends ClientMode = 'strict'> {
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
  reportWithdrawalEvent(withdrawal: Payloads<Mode>['reportWithdrawalEvent'], options?: CallOptions): Promise<ReceiptOf<Mode>>;

  /**
   * Reports a settled withdrawal: step 4 of 4 (specification, section 4.2). Not in a browser. Its `location` is
   * usually the one of the initiated withdrawal's receipt; left out, it is found as for an event.
   *
   * @example
   * ```ts
   * await client.reportSettledWithdrawal({ ...withdrawal, status: 'SUCCESS', timestamp: new Date(), location });
   * ```
   */
  reportSettledWithdrawal(withdrawal: Payloads<Mode>['reportSettledWithdrawal'], options?: CallOptions): Promise<ReceiptOf<Mode>>;

  /**
   * Verifies a national identification number (specification, section 4.3). Not in a browser. Resolves for a number
   * that is not verified too: `success` tells.
   *
   * @example
   * ```ts
   * const { success, data } = await client.verifyNin({ nin: '99012345678' });
   * ```
   */
  verifyNin(nin: Payloads<Mode>['verifyNin'] | string, options?: CallOptions): Promise<NinVerification>;

  /**
   * Finds the player's location without reporting anything: to ask for permission ahead of the first bet, say; and
   * tells how it was obtained. Rejects with a `LocationError` where no source gives one.
   *
   * @example
   * ```ts
   * const { latitude, longitude, source, ageMs } = await client.locate();
   * ```
   */
  locate(options?: Omit<CallOptions, 'location'>): Promise<LocateResult>;

  /**
   * Sends the report that an error keeps once more, with the same bytes. A new call would take a new time and
   * location and so would be other data: after `outcome: 'unknown'` this is the only way to repeat it. The
   * gateway's answer that it holds the same data then means success (`'already-recorded'`).
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

const nothing = () => false as const;
const PART_DEFAULTS: PartDefaults = RELAY_ONLY
  ? { providers: [], isRecorded: nothing, isDuplicate: nothing }
  : { providers: [geojs(), ipapiCo(), freeipapi()], isRecorded, isDuplicate };

/**
 * Makes a client. Throws a `ConfigurationError` that lists every wrong name and type among the options at once, or,
 * where there is none, every unsafe address and key. An environment that is not set up is an error only once it is used.
 *
 * @example
 * ```ts
 * const client = createClient({
 *   gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: () => secrets.read('gateway-key') } },
 * });
 * ```
 */
export function createClient(options: RelayedOptions): Client<'relay'>;
export function createClient<Mode extends ValidationMode = 'strict'>(options?: ClientOptions<Mode>): Client<Mode>;
export function createClient<Mode extends ClientMode>(options: ClientOptions<ValidationMode> = {}): Client<Mode> {
  const settings = resolveOptions(options, PART_DEFAULTS);
  const { clock, browser, relay } = settings;
  const resolveLocation = createLocationResolver(settings);

  /** A report for a relay may be incomplete, and one for a gateway names its environment: neither may go to the other. */
  const destinationFor = (environment: AnyReport['environment']) => {
    if (!RELAY_ONLY && environment && !relay) return settings.destinations[environment];
    return (!environment && relay) || 'the report belongs to another client.';
  };

  /** Sends a frozen call; the deadline counts from when the call began. */
  const send = (report: AnyReport, call: { inDoubt: boolean; signal: Parameters['signal']; deadline: number }): Promise<Delivered> => {
    return deliver(report, { ...call, destination: destinationFor(report.environment) }, settings);
  };

  /** Checks and locates: the half of every call that sends nothing. */
  async function freeze(
    operation: OperationName,
    payload: unknown,
    options: unknown,
  ): Promise<{ report: AnyReport; signal: Parameters['signal']; deadline: number }> {
    const row = operations[operation];
    if ((RELAY_ONLY || browser || relay) && !row.browser) {
      throw new ConfigurationError(`${operation} is not available ${RELAY_ONLY || browser ? 'in a browser' : 'through a relay'}; call it from your backend.`, {
        operation,
      });
    }
    const { body, reference, parameters } = prepare(operation, payload, options, settings);
    const { environment, timeoutMs, signal } = parameters;
    // Before a player is asked for a location that could not be sent.
    const destination = destinationFor(environment);
    if (typeof destination === 'string') {
      throw new ConfigurationError(`${subjectOf({ operation, reference })}: ${destination}`, { operation, environment, reference });
    }
    const deadline = clock.now() + timeoutMs;
    const purpose = { operation, reference, deadline, required: settings.location.required };
    const search = () => resolveLocation(parameters, purpose);
    const location = row.location === 'none' ? undefined : (await (RELAY_ONLY || relay ? untilPageHides(search) : search()))?.location;
    const report = { operation, environment, reference, location, body: toJson(body, location) };
    return { report, signal, deadline };
  }

  /** Checks, locates and sends: the way of every call. */
  async function call(operation: OperationName, payload: unknown, options: unknown): Promise<Delivered & { report: AnyReport }> {
    const { report, ...limits } = await freeze(operation, payload, options);
    return { ...(await send(report, { inDoubt: false, ...limits })), report };
  }

  const report = async (operation: OperationName, payload: unknown, options: unknown): Promise<ReceiptOf<Mode>> => {
    const delivered = await call(operation, payload, options);
    return receiptOf(delivered.report, delivered) as ReceiptOf<Mode>;
  };

  const client: Client<Mode> = {
    reportBetEvent: (bet, options) => report('reportBetEvent', bet, options),
    reportSettledBet: (bet, options) => report('reportSettledBet', bet, options),
    reportWithdrawalEvent: (withdrawal, options) => report('reportWithdrawalEvent', withdrawal, options),
    reportSettledWithdrawal: (withdrawal, options) => report('reportSettledWithdrawal', withdrawal, options),
    verifyNin: async (nin, options) => {
      const { body } = await call('verifyNin', typeof nin === 'string' ? { nin } : nin, options);
      return body as NinVerification;
    },
    locate: async (options) => {
      const parameters = prepareOptions('locate', options, ['environment', 'clientIP', 'signal', 'timeoutMs'], settings, 'not-sent');
      const deadline = clock.now() + parameters.timeoutMs;
      const found = await resolveLocation(parameters, { operation: 'locate', reference: undefined, deadline, required: true });
      const { location, ageMs, steps } = found as NonNullable<typeof found>;
      return { ...location, ageMs, steps };
    },
    resend: async (error, options) => {
      const frozen = keptFrozen(error);
      if (!frozen) {
        const issues = [{ path: 'error', code: 'invalid', message: 'expected the error of a report that was sent, as it was thrown' }] as const;
        throw new ValidationError(`resend: ${issues[0].message}; this value keeps no report. Nothing was sent.`, { operation: 'resend', issues });
      }
      // That the gateway holds a duplicate is no doubt of its own: the same answer again would prove nothing.
      const { outcome, code } = error as { outcome?: unknown; code?: unknown };
      const inDoubt = outcome === 'unknown' && code !== 'duplicate';
      const { signal, timeoutMs } = prepareResend(frozen, inDoubt, options, settings);
      return receiptOf(frozen, await send(frozen, { inDoubt, signal, deadline: clock.now() + timeoutMs })) as ReceiptOf<Mode>;
    },
  };
  const once = { ...settings, retry: { ...settings.retry, limit: 0 } };
  return withDoor(client, {
    clock,
    random: settings.random,
    logger: settings.logger,
    attemptTimeoutMs: settings.attemptTimeoutMs,
    relayed: RELAY_ONLY || relay !== undefined,
    gateways: RELAY_ONLY || relay ? { relay: relay?.relayUrl } : addressesOf(settings.destinations),
    mockMode: !RELAY_ONLY && settings.mockMode,
    // A relay has none, and what is not set up is a text.
    baseUrlOf: (environment) => (RELAY_ONLY ? undefined : (destinationFor(environment) as { baseUrl?: string }).baseUrl),
    async freeze(...given) {
      const { report } = await freeze(...given);
      if (!RELAY_ONLY && !relay) return report;
      // What lies in a page's storage names nobody: the relay adds the player.
      const { user: _, userId: __, ...body } = JSON.parse(report.body) as Record<string, unknown>;
      return { ...report, body: JSON.stringify(body) };
    },
    attempt: (report, { signal, milliseconds, player }) => {
      let destination = destinationFor(report.environment);
      if (player && typeof destination === 'object' && isRelay(destination))
        destination = { ...destination, headers: { ...destination.headers, [PLAYER_HEADER]: player } };
      return deliver(report, { inDoubt: false, signal, deadline: clock.now() + milliseconds, destination, advice: '' }, once);
    },
  });
}

/** Of the environments that are set up. */
const addressesOf = ({ staging, production }: Settings['destinations']) => ({
  staging: typeof staging === 'string' ? undefined : staging.baseUrl,
  production: typeof production === 'string' ? undefined : production.baseUrl,
});

/** Wrong options of a repetition leave the report as it was: in doubt if it was, and kept for the next try. */
function prepareResend(report: AnyReport, inDoubt: boolean, options: unknown, settings: PrepareContext): Parameters {
  try {
    return prepareOptions('resend', options, ['signal', 'timeoutMs'], settings, inDoubt ? 'unknown' : 'not-sent');
  } catch (error) {
    if (error instanceof ValidationError) keepFrozen(error, report);
    throw error;
  }
}
