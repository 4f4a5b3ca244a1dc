import type { Receipt } from '../client/receipt.js';
import { isReportingError, isValidationError } from '../errors/guards.js';
import { subjectOf } from '../platform/messages.js';
import { LONGEST_TIMER_MS, withTimeout } from '../platform/time.js';
import type { BetEvent } from '../schema/bet.js';
import { printableKey } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import type { WithdrawalEvent } from '../schema/withdrawal.js';
import { broken, type RelayAnswer, refusals } from './answers.js';
import { canonical, type EventKey } from './event-key.js';
import { callHook, describeThrown, noteFault } from './fault.js';
import type { RelayCallOptions, RelayClient, RelayOperation, RelayPlayer, RelayQueued, RelayReport } from './options.js';
import { answerForError, answerForQueued, answerForReceipt, isQueued } from './outcome.js';
import type { Recent, RecentReport, Remembered } from './recent.js';
import type { RelaySettings } from './settings.js';

/** An event that is ready to be reported. */
export interface Ready<Player extends RelayPlayer> {
  readonly operation: RelayOperation;
  readonly player: Player;
  readonly event: Record<string, unknown>;
  readonly reference: string | undefined;
  /** The page's location, or the operator's. */
  readonly location: LocationInput | undefined;
  readonly clientIP: string | undefined;
  /** The fields of the event that the operator supplied. */
  readonly owned: readonly string[];
  readonly key: EventKey;
  /** A time on the clock, in milliseconds. */
  readonly deadline: number;
}

const send = (client: RelayClient, operation: RelayOperation, event: object, options: RelayCallOptions) =>
  // The client checks the types that are claimed here. By its type it may itself have a relayUrl, and then its receipts have no environment.
  (operation === 'reportBetEvent'
    ? client.reportBetEvent(event as BetEvent, options)
    : client.reportWithdrawalEvent(event as WithdrawalEvent, options)) as Promise<Receipt | RelayQueued>;

/** Reports an event and returns the answer. If the same event arrives twice at the same time, one report is sent and both requests are answered. */
export async function report<Player extends RelayPlayer>(ready: Ready<Player>, recent: Recent, settings: RelaySettings<Player>): Promise<RelayAnswer> {
  const { running, ...earlier } = recent.get(ready.key) ?? {};
  const now = settings.clock.now();
  const milliseconds = ready.deadline - now;
  if (milliseconds <= 0) return refusals.outOfTime;
  // A client ends by itself. The extra time is for the operator's work with the receipt.
  const longest = Math.min(milliseconds + settings.hookTimeoutMs, LONGEST_TIMER_MS);
  // A call that exceeds its time may never end, and another player's request must not wait for it.
  const answer = running && now < running.until ? running.answer : start(ready, earlier, milliseconds, now + longest, recent, settings);
  const ended = await withTimeout(() => answer, { clock: settings.clock, milliseconds: longest });
  if (ended.ended === 'done') return ended.value;
  const subject = subjectOf({ operation: ready.operation, reference: ready.reference });
  const what = ended.ended === 'failed' ? describeThrown(ended.error) : 'the client did not end in time';
  return broken(noteFault(settings.logger, `${subject}: ${what}`), 'unknown', 502, 'timeout', ready.reference);
}

/** The work that continues after the page has left, and for which a repeated request waits. */
function start<Player extends RelayPlayer>(
  ready: Ready<Player>,
  earlier: Omit<Remembered, 'running'>,
  timeoutMs: number,
  until: number,
  recent: Recent,
  settings: RelaySettings<Player>,
): Promise<RelayAnswer> {
  const { client, environment, clock, logger } = settings;
  const { operation, key, reference, clientIP } = ready;
  const subject = subjectOf({ operation, reference });
  const timestamp = ready.event.timestamp === undefined ? (earlier.timestamp ?? String(Math.floor(clock.now() / 1_000))) : undefined;
  const now: RecentReport = { event: { ...ready.event, ...(timestamp !== undefined && { timestamp }) }, location: ready.location };
  const location = ready.location ?? earlier.location;
  const options = { timeoutMs, ...(environment && { environment }), ...(location ? { location } : clientIP !== undefined && { clientIP }) };
  const held = { ...earlier, ...(timestamp !== undefined && { timestamp }) };

  const inDoubt = client.resend && earlier.inDoubt;
  const sent = inDoubt ? inDoubt.sent : now;
  const differing = inDoubt ? differingFields(inDoubt.sent, now) : [];
  if (differing.length > 0)
    logger.warn(`${subject}: it is in doubt and is sent again unchanged; the option complete now returns other values for: ${differing.join(', ')}`);
  // The answer contains what was sent, even if the operator's values differ now.
  const about: RelayReport<Player> = { operation, player: ready.player, event: sent.event };

  /** A client that ends after its time cannot change a later attempt. */
  function remember(remembered: Remembered | undefined): void {
    const known = recent.get(key);
    if (known && known.running?.answer !== answer) return;
    if (remembered) recent.set(key, remembered);
    else recent.forget(key);
  }

  async function succeed(receipt: Receipt): Promise<RelayAnswer> {
    remember({ ...(timestamp !== undefined && { timestamp }), ...(receipt.location && { location: receipt.location }) });
    await tell('onReceipt', () => settings.onReceipt?.(receipt, about), settings);
    return answerForReceipt(receipt);
  }

  async function fail(error: unknown): Promise<RelayAnswer> {
    if (!isReportingError(error)) {
      remember(held);
      return broken(noteFault(logger, `${subject}: the client ${describeThrown(error)}`), 'unknown', 500, 'gateway', reference);
    }
    // The gateway has it (a duplicate), or may have it: a repetition must have the same bytes.
    if (error.outcome === 'unknown') remember({ ...held, inDoubt: { error, sent } });
    else remember(error.code === 'duplicate' ? held : undefined);
    await tell('onError', () => settings.onError?.(error, about), settings);
    return answerForError(error, { ...ready, logger });
  }

  async function run(): Promise<RelayAnswer> {
    try {
      const result = inDoubt ? await (client.resend?.(inDoubt.error, { timeoutMs }) as Promise<Receipt>) : await send(client, operation, sent.event, options);
      if (!isQueued(result)) return succeed(result);
      remember(held);
      follow(result.done, about, settings);
      return answerForQueued(result, operation, reference);
    } catch (error) {
      // An error that keeps no report does not change the record.
      return fail(inDoubt && isValidationError(error) ? inDoubt.error : error);
    }
  }

  // Started asynchronously, so that it cannot end before it is remembered.
  const answer = Promise.resolve()
    .then(run)
    .catch((error: unknown) => {
      remember(held);
      throw error;
    });
  recent.set(key, { ...held, running: { answer, until } });
  return answer;
}

/** The names of the fields that differ, never their values. */
function differingFields(sent: RecentReport, now: RecentReport): string[] {
  const names = [...new Set([...Object.keys(sent.event), ...Object.keys(now.event)])];
  const differing = names.filter((name) => canonical([sent.event[name]]) !== canonical([now.event[name]])).map(printableKey);
  // The client looks up a missing location, so it is not compared.
  const moved = sent.location && now.location && canonical(sent.location) !== canonical(now.location);
  return moved ? [...differing, 'location'] : differing;
}

/** Informs the operator later about the result of a report that an outbox stored. */
function follow<Player extends RelayPlayer>(done: unknown, about: RelayReport<Player>, settings: RelaySettings<Player>): void {
  Promise.resolve(done)
    .then(
      (receipt) => (receipt === undefined ? undefined : tell('onReceipt', () => settings.onReceipt?.(receipt as Receipt, about), settings)),
      (error) => (isReportingError(error) ? tell('onError', () => settings.onError?.(error, about), settings) : undefined),
    )
    .catch(() => {});
}

/** A recorded report stays recorded, even if the operator's function fails. */
async function tell<Player extends RelayPlayer>(name: 'onReceipt' | 'onError', work: () => unknown, settings: RelaySettings<Player>): Promise<void> {
  const told = await callHook(work, settings.hookTimeoutMs, settings);
  if (told.ended === 'done') return;
  noteFault(
    settings.logger,
    `the option ${name} ${told.ended === 'failed' ? describeThrown(told.error) : 'did not answer in time'}; this does not change the report`,
  );
}
