import type { Receipt } from '../../core/client/receipt.js';
import {
  DuplicateReportError,
  hasCode,
  isReportingError,
  makeError,
  type ReportingError,
} from '../../core/errors/errors.js';
import { subjectOf } from '../../core/platform/messages.js';
import { LONGEST_TIMER_MS, withTimeout } from '../../core/platform/time.js';
import { repeatsOf } from '../../core/protocol/repeats.js';
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

interface ReadyReport {
  readonly operation: RelayOperation;
  readonly player: RelayPlayer;
  readonly event: Record<string, unknown>;
  readonly reference: string | undefined;
  readonly location: LocationInput | undefined;
  readonly clientIP: string | undefined;
  readonly owned: readonly string[];
  readonly key: EventKey;
  readonly deadline: number;
  /** The refusal of an event that is new here and has a wrong time. A repeat has its first one. */
  readonly late: () => WebAnswer | undefined;
}

const send = (client: RelayClient, operation: RelayOperation, event: object, options: RelayCallOptions) =>
  // The client checks the types that are claimed here. By its type it may itself have a relayUrl, and then its receipts
  // have no environment.
  (operation === 'reportBetEvent'
    ? client.reportBetEvent(event as BetEvent, options)
    : client.reportWithdrawalEvent(event as WithdrawalEvent, options)) as Promise<Receipt | RelayQueued>;

/** If the same event arrives twice at the same time, one report is sent and both requests are answered. */
export async function report(ready: ReadyReport, recent: Recent, settings: RelaySettings): Promise<WebAnswer> {
  const { clock, logger } = settings;
  const { operation, reference, key } = ready;
  for (;;) {
    const { running, ...earlier } = recent.get(key) ?? {};
    const now = clock.now();
    const milliseconds = ready.deadline - now;
    if (milliseconds <= 0) return refusals.outOfTime;
    // A call that exceeds its time may never end, and the next request must not wait for it.
    const before = running && now < running.until ? running : undefined;
    if (!before && earlier.recorded) return repeat(ready, earlier.recorded, earlier.timestamp, settings);
    // A client ends by itself. The extra time is for the operator's work with the receipt.
    const longest = Math.min(milliseconds + settings.hookTimeoutMs, LONGEST_TIMER_MS);
    const answer = before?.answer ?? start(ready, earlier, milliseconds, now + longest, recent, settings);
    const ended = await withTimeout(() => answer, { clock, milliseconds: longest });
    if (ended.ended !== 'done') {
      const what = ended.ended === 'failed' ? describeThrown(ended.error) : 'the client did not end in time';
      const id = noteFault(logger, `${subjectOf({ operation, reference })}: ${what}`);
      return broken(id, 'unknown', 502, 'timeout', reference);
    }
    // Other data under the same reference is judged once the first has ended, and a location may help where it failed.
    if (!before || (before.contents === key.contents && (before.isLocated || !ready.location))) return ended.value;
  }
}

/** The answer for an event whose report is recorded: the receipt, unless this is other data. */
async function repeat(
  ready: ReadyReport,
  { receipt, contents }: NonNullable<Remembered['recorded']>,
  timestamp: unknown,
  settings: RelaySettings,
): Promise<WebAnswer> {
  if (contents !== ready.key.contents) return refuseOtherData(ready, settings);
  const repeated: Receipt = { ...receipt, outcome: 'already-recorded' };
  await tellReceipt(repeated, { ...ready, event: { ...ready.event, timestamp } }, settings);
  return answerForReceipt(repeated);
}

/** Another amount, for example: the receipt of the first report would be a lie. */
function refuseOtherData(ready: ReadyReport, settings: RelaySettings): Promise<WebAnswer> {
  const { operation, reference } = ready;
  const why = 'other data was reported under this reference before (a new time or place does not count)';
  const error = new DuplicateReportError(
    `${subjectOf({ operation, reference })}: ${why}. Nothing was sent. Compare your records.`,
    { operation, reference, environment: settings.environment, outcome: 'rejected', conflict: true },
  );
  return refuseReport(error, ready, ready.event, settings);
}

async function refuseReport(
  error: ReportingError,
  ready: ReadyReport,
  event: RelayReport['event'],
  settings: RelaySettings,
): Promise<WebAnswer> {
  const { operation, player } = ready;
  await tell('onError', () => settings.onError?.(error, { operation, player, event }), settings);
  return answerForError(error, { ...ready, logger: settings.logger });
}

/** The operator gets a copy, since the receipt is also the answer to the page, and to each repeat. */
const tellReceipt = (receipt: Receipt, { operation, player, event }: RelayReport, settings: RelaySettings) =>
  tell('onReceipt', () => settings.onReceipt?.(structuredClone(receipt), { operation, player, event }), settings);

/** It continues after the page has left, and a repeated request waits for it. */
function start(
  ready: ReadyReport,
  earlier: Omit<Remembered, 'running' | 'recorded'>,
  timeoutMs: number,
  until: number,
  recent: Recent,
  settings: RelaySettings,
): Promise<WebAnswer> {
  const { client, environment, clock, logger } = settings;
  const { operation, player, key, reference, clientIP } = ready;
  const subject = subjectOf({ operation, reference });
  const timestamp = earlier.timestamp ?? ready.event.timestamp ?? String(Math.floor(clock.now() / 1_000));
  const location = earlier.location ?? ready.location;
  const held: Remembered = { ...earlier, timestamp, location };
  const event = { ...ready.event, timestamp };
  const inDoubt = client.resend && earlier.inDoubt;
  // The operator gets what was sent, even if its values differ now.
  const sent = inDoubt || { event, contents: key.contents };
  const findRepeat = async () => repeatsOf(client)?.(operation, event, ready.event.environment ?? environment);

  /** A client that ends after its time cannot change a later attempt. */
  function remember(remembered: Remembered | undefined): void {
    const known = recent.get(key);
    if (known && known.running?.answer !== answer) return;
    if (remembered) recent.set(key, remembered);
    else recent.forget(key);
  }

  async function succeed(receipt: Receipt): Promise<WebAnswer> {
    const { contents } = sent;
    remember({ timestamp, location: receipt.location ?? location, recorded: { receipt, contents } });
    await tellReceipt(receipt, { operation, player, event: sent.event }, settings);
    return contents === key.contents ? answerForReceipt(receipt) : refuseOtherData(ready, settings);
  }

  /** The answer for a report in an outbox. If it is recorded, the answer is its receipt. */
  async function accept(queued: RelayQueued): Promise<WebAnswer> {
    remember({ ...held, followed: true });
    if (queued.state !== 'recorded') {
      if (!earlier.followed) follow(queued.done, { operation, player, event }, settings);
      return answerForQueued(queued, operation, reference);
    }
    const receipt = await Promise.resolve(queued.done as Promise<Receipt | undefined>).catch(() => undefined);
    // The row has its own time.
    return receipt
      ? repeat(ready, { receipt, contents: key.contents }, ready.event.timestamp, settings)
      : answerForQueued(queued, operation, reference);
  }

  async function fail(error: unknown): Promise<WebAnswer> {
    if (!isReportingError(error)) {
      remember(held);
      const id = noteFault(logger, `${subject}: the client ${describeThrown(error)}`);
      return broken(id, 'unknown', 500, 'gateway', reference);
    }
    // The gateway has it (the same data), or may have it: a repetition must have the same bytes.
    if (error.outcome === 'unknown') remember({ ...held, inDoubt: { error, ...sent } });
    else if (earlier.inDoubt && !inDoubt) {
      // A client without resend does not know of the first attempt.
      remember(held);
      if (error.code !== 'duplicate') return refuseReport(stillInDoubt(error), ready, sent.event, settings);
    } else remember(error.code === 'duplicate' && !error.conflict ? held : undefined);
    return refuseReport(error, ready, sent.event, settings);
  }

  async function deliver(): Promise<WebAnswer> {
    if (inDoubt) return succeed((await client.resend?.(inDoubt.error, { timeoutMs })) as Receipt);
    const stored = await findRepeat();
    if (stored) return accept(stored);
    const late = earlier.timestamp === undefined && ready.late();
    if (late) {
      remember(undefined);
      return late;
    }
    const result = await send(client, operation, event, {
      timeoutMs,
      ...(environment && { environment }),
      ...(location ? { location } : clientIP !== undefined && { clientIP }),
    });
    return isQueued(result) ? accept(result) : succeed(result);
  }

  async function run(): Promise<WebAnswer> {
    try {
      return await deliver();
    } catch (error) {
      // Another process may have stored the event since.
      const stored = hasCode(error, 'duplicate') && (await findRepeat().catch(() => undefined));
      if (stored) return accept(stored);
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
  recent.set(key, { ...held, running: { answer, until, contents: key.contents, isLocated: location !== undefined } });
  return answer;
}

/** After an attempt in doubt, no later failure makes the outcome certain. The copy also keeps the report, for `resend`. */
function stillInDoubt(error: ReportingError): ReportingError {
  const { outcome, ...others } = Object.getOwnPropertyDescriptors(error);
  const copy = makeError(error.code, error.message, {});
  return Object.defineProperties(copy, { ...others, outcome: { ...outcome, value: 'unknown' } });
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
