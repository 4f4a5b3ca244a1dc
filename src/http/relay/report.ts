import type { Receipt } from '../../core/client/receipt.js';
import { hasCode, isReportingError } from '../../core/errors/errors.js';
import { subjectOf } from '../../core/platform/messages.js';
import { LONGEST_TIMER_MS, withTimeout } from '../../core/platform/time.js';
import type { BetEvent } from '../../core/schema/bet.js';
import type { LocationInput } from '../../core/schema/location.js';
import type { WithdrawalEvent } from '../../core/schema/withdrawal.js';
import type { WebAnswer } from '../../core/web/answer.js';
import { callHook, describeThrown, describeUnfinished, noteFault } from '../../core/web/hooks.js';
import { answerForError, answerForQueued, answerForReceipt, broken, isQueued, refusals } from './answers.js';
import type { EventKey, Recent, Remembered } from './recent.js';
import type {
  RelayCallOptions,
  RelayClient,
  RelayOperation,
  RelayPlayer,
  RelayQueued,
  RelayReport,
  RelaySettings,
} from './relay-options.js';

export interface ReadyReport {
  readonly operation: RelayOperation;
  readonly player: RelayPlayer;
  readonly event: Record<string, unknown>;
  readonly reference: string | undefined;
  readonly location: LocationInput | undefined;
  readonly clientIP: string | undefined;
  readonly owned: readonly string[];
  readonly key: EventKey;
  /** By the clock. */
  readonly deadline: number;
}

const send = (client: RelayClient, operation: RelayOperation, event: object, options: RelayCallOptions) =>
  // The client checks the types that are claimed here. By its type it may itself have a relayUrl, and then its receipts
  // have no environment.
  (operation === 'reportBetEvent'
    ? client.reportBetEvent(event as BetEvent, options)
    : client.reportWithdrawalEvent(event as WithdrawalEvent, options)) as Promise<Receipt | RelayQueued>;

/** If the same event arrives twice at the same time, one report is sent and both requests are answered. */
export async function report(ready: ReadyReport, recent: Recent, settings: RelaySettings): Promise<WebAnswer> {
  const { running, ...earlier } = recent.get(ready.key) ?? {};
  const now = settings.clock.now();
  const milliseconds = ready.deadline - now;
  if (milliseconds <= 0) return refusals.outOfTime;
  // A client ends by itself. The extra time is for the operator's work with the receipt.
  const longest = Math.min(milliseconds + settings.hookTimeoutMs, LONGEST_TIMER_MS);
  // A call that exceeds its time may never end, and another player's request must not wait for it.
  const answer =
    running && now < running.until
      ? running.answer
      : start(ready, earlier, milliseconds, now + longest, recent, settings);
  const ended = await withTimeout(() => answer, { clock: settings.clock, milliseconds: longest });
  if (ended.ended === 'done') return ended.value;
  const subject = subjectOf({ operation: ready.operation, reference: ready.reference });
  const what = ended.ended === 'failed' ? describeThrown(ended.error) : 'the client did not end in time';
  return broken(noteFault(settings.logger, `${subject}: ${what}`), 'unknown', 502, 'timeout', ready.reference);
}

/** It continues after the page has left, and a repeated request waits for it. */
function start(
  ready: ReadyReport,
  earlier: Omit<Remembered, 'running'>,
  timeoutMs: number,
  until: number,
  recent: Recent,
  settings: RelaySettings,
): Promise<WebAnswer> {
  const { client, environment, clock, logger } = settings;
  const { operation, key, reference, clientIP } = ready;
  const subject = subjectOf({ operation, reference });
  const timestamp =
    ready.event.timestamp === undefined ? (earlier.timestamp ?? String(Math.floor(clock.now() / 1_000))) : undefined;
  const location = ready.location ?? earlier.location;
  const options = {
    timeoutMs,
    ...(environment && { environment }),
    ...(location ? { location } : clientIP !== undefined && { clientIP }),
  };
  const held = { ...earlier, ...(timestamp !== undefined && { timestamp }) };

  const inDoubt = client.resend && earlier.inDoubt;
  const event = inDoubt?.event ?? { ...ready.event, ...(timestamp !== undefined && { timestamp }) };
  // The answer contains what was sent, even if the operator's values differ now.
  const about: RelayReport = { operation, player: ready.player, event };

  /** A client that ends after its time cannot change a later attempt. */
  function remember(remembered: Remembered | undefined): void {
    const known = recent.get(key);
    if (known && known.running?.answer !== answer) return;
    if (remembered) recent.set(key, remembered);
    else recent.forget(key);
  }

  async function succeed(receipt: Receipt): Promise<WebAnswer> {
    remember({
      ...(timestamp !== undefined && { timestamp }),
      ...(receipt.location && { location: receipt.location }),
    });
    await tell('onReceipt', () => settings.onReceipt?.(receipt, about), settings);
    return answerForReceipt(receipt);
  }

  async function fail(error: unknown): Promise<WebAnswer> {
    if (!isReportingError(error)) {
      remember(held);
      return broken(
        noteFault(logger, `${subject}: the client ${describeThrown(error)}`),
        'unknown',
        500,
        'gateway',
        reference,
      );
    }
    // The gateway has it (a duplicate), or may have it: a repetition must have the same bytes.
    if (error.outcome === 'unknown') remember({ ...held, inDoubt: { error, event } });
    else remember(error.code === 'duplicate' ? held : undefined);
    await tell('onError', () => settings.onError?.(error, about), settings);
    return answerForError(error, { ...ready, logger });
  }

  async function run(): Promise<WebAnswer> {
    try {
      const result = inDoubt
        ? await (client.resend?.(inDoubt.error, { timeoutMs }) as Promise<Receipt>)
        : await send(client, operation, event, options);
      if (!isQueued(result)) return succeed(result);
      remember(held);
      follow(result.done, about, settings);
      return answerForQueued(result, operation, reference);
    } catch (error) {
      // An error that keeps no report does not change the record.
      return fail(inDoubt && hasCode(error, 'validation') ? inDoubt.error : error);
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

function follow(done: unknown, about: RelayReport, settings: RelaySettings): void {
  Promise.resolve(done)
    .then(
      (receipt) =>
        receipt === undefined
          ? undefined
          : tell('onReceipt', () => settings.onReceipt?.(receipt as Receipt, about), settings),
      (error) =>
        isReportingError(error) ? tell('onError', () => settings.onError?.(error, about), settings) : undefined,
    )
    .catch(() => {});
}

/** A recorded report stays recorded, even if the operator's function fails. */
async function tell(name: 'onReceipt' | 'onError', work: () => unknown, settings: RelaySettings): Promise<void> {
  const told = await callHook(work, settings.hookTimeoutMs, settings);
  if (told.ended === 'done') return;
  noteFault(settings.logger, `the option ${name} ${describeUnfinished(told)}; this does not change the report`);
}
