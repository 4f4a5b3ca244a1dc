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
  /** The page's, or the operator's. */
  readonly location: LocationInput | undefined;
  readonly clientIP: string | undefined;
  /** The members of the event that are the operator's. */
  readonly owned: readonly string[];
  readonly key: EventKey;
  /** On the clock, in milliseconds. */
  readonly deadline: number;
}

const send = (client: RelayClient, operation: RelayOperation, event: object, options: RelayCallOptions) =>
  // The client checks what the types claim here. By its type it may itself be one with relayUrl, whose receipts have no environment.
  (operation === 'reportBetEvent'
    ? client.reportBetEvent(event as BetEvent, options)
    : client.reportWithdrawalEvent(event as WithdrawalEvent, options)) as Promise<Receipt | RelayQueued>;

/** Reports an event and gives the answer; of the same event at the same time, one is reported and both are answered. */
export async function report<Player extends RelayPlayer>(ready: Ready<Player>, recent: Recent, settings: RelaySettings<Player>): Promise<RelayAnswer> {
  const { running, ...earlier } = recent.get(ready.key) ?? {};
  const now = settings.clock.now();
  const milliseconds = ready.deadline - now;
  if (milliseconds <= 0) return refusals.outOfTime;
  // A client ends by itself; the time beyond is for what the operator does with the receipt.
  const longest = Math.min(milliseconds + settings.hookTimeoutMs, LONGEST_TIMER_MS);
  // One that is over its time may never end, and nobody else's request should wait for it.
  const answer = running && now < running.until ? running.answer : start(ready, earlier, milliseconds, now + longest, recent, settings);
  const ended = await withTimeout(() => answer, { clock: settings.clock, milliseconds: longest });
  if (ended.ended === 'done') return ended.value;
  const subject = subjectOf({ operation: ready.operation, reference: ready.reference });
  const what = ended.ended === 'failed' ? describeThrown(ended.error) : 'the client did not end in time';
  return broken(noteFault(settings.logger, `${subject}: ${what}`), 'unknown', 502, 'timeout', ready.reference);
}

/** What runs on when the page is gone, and what a page that asks again waits for. */
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
    logger.warn(`${subject}: it is in doubt and is sent again as it was; what the option complete gives now differs: ${differing.join(', ')}`);
  // What is told is what was sent, whatever the operator would say of it now.
  const about: RelayReport<Player> = { operation, player: ready.player, event: sent.event };

  /** A client that ends after its time has no say over what was begun since. */
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
    // The gateway holds it (a duplicate), or may: the same again must be the same bytes.
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
      // An error that keeps no report leaves it as it was.
      return fail(inDoubt && isValidationError(error) ? inDoubt.error : error);
    }
  }

  // Not at once, so that nothing of it has ended before it is remembered.
  const answer = Promise.resolve()
    .then(run)
    .catch((error: unknown) => {
      remember(held);
      throw error;
    });
  recent.set(key, { ...held, running: { answer, until } });
  return answer;
}

/** The names of what differs, never the values. */
function differingFields(sent: RecentReport, now: RecentReport): string[] {
  const names = [...new Set([...Object.keys(sent.event), ...Object.keys(now.event)])];
  const differing = names.filter((name) => canonical([sent.event[name]]) !== canonical([now.event[name]])).map(printableKey);
  // One that was looked up is the client's to know.
  const moved = sent.location && now.location && canonical(sent.location) !== canonical(now.location);
  return moved ? [...differing, 'location'] : differing;
}

/** Tells the operator later what became of a report that an outbox took. */
function follow<Player extends RelayPlayer>(done: unknown, about: RelayReport<Player>, settings: RelaySettings<Player>): void {
  Promise.resolve(done)
    .then(
      (receipt) => (receipt === undefined ? undefined : tell('onReceipt', () => settings.onReceipt?.(receipt as Receipt, about), settings)),
      (error) => (isReportingError(error) ? tell('onError', () => settings.onError?.(error, about), settings) : undefined),
    )
    .catch(() => {});
}

/** What is recorded stays so, whatever the operator's function does. */
async function tell<Player extends RelayPlayer>(name: 'onReceipt' | 'onError', work: () => unknown, settings: RelaySettings<Player>): Promise<void> {
  const told = await callHook(work, settings.hookTimeoutMs, settings);
  if (told.ended === 'done') return;
  noteFault(
    settings.logger,
    `the option ${name} ${told.ended === 'failed' ? describeThrown(told.error) : 'did not answer in time'}; the report itself is not touched by it`,
  );
}
