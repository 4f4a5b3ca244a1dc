import { isReportingError, isValidationError } from '../errors.js';
import { subjectOf } from '../messages.js';
import type { Receipt } from '../receipt.js';
import type { BetEvent } from '../schema/bet.js';
import type { LocationInput } from '../schema/location.js';
import type { WithdrawalEvent } from '../schema/withdrawal.js';
import { limited } from '../time.js';
import { type Answer, broken, refusals } from './answers.js';
import type { EventKey } from './event-key.js';
import { callHook, describeThrown, noteFault } from './fault.js';
import type { RelayCallOptions, RelayClient, RelayOperation, RelayPlayer, RelayQueued, RelayReport } from './options.js';
import { answerForError, answerForQueued, answerForReceipt, isQueued } from './outcome.js';
import type { Recent, Remembered } from './recent.js';
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

const send = (client: RelayClient, operation: RelayOperation, event: object, options: RelayCallOptions): Promise<Receipt | RelayQueued> =>
  // The client checks what the types claim here.
  operation === 'reportBetEvent' ? client.reportBetEvent(event as BetEvent, options) : client.reportWithdrawalEvent(event as WithdrawalEvent, options);

/** Reports an event and gives the answer; of the same event at the same time, one is reported and both are answered. */
export async function report<Player extends RelayPlayer>(ready: Ready<Player>, recent: Recent, settings: RelaySettings<Player>): Promise<Answer> {
  const earlier = recent.get(ready.key) ?? {};
  const milliseconds = ready.deadline - settings.clock.now();
  if (milliseconds <= 0) return refusals.outOfTime;
  // A client ends by itself; the time beyond is for what the operator does with the receipt.
  const limit = { clock: settings.clock, milliseconds: milliseconds + settings.hookTimeoutMs };
  const running = earlier.running ?? start(ready, earlier, milliseconds, recent, settings);
  const ended = await limited(() => running, limit);
  if (ended.ended === 'done') return ended.value;
  const subject = subjectOf({ operation: ready.operation, reference: ready.reference });
  const what = ended.ended === 'failed' ? describeThrown(ended.error) : 'the client did not end in time';
  return broken(noteFault(settings.logger, `${subject}: ${what}`), 'unknown', 502, 'timeout', ready.reference);
}

/** What runs on when the page is gone, and what a page that asks again waits for. */
function start<Player extends RelayPlayer>(
  ready: Ready<Player>,
  earlier: Remembered,
  timeoutMs: number,
  recent: Recent,
  settings: RelaySettings<Player>,
): Promise<Answer> {
  const { client, environment, clock } = settings;
  const { operation, key, reference, clientIP } = ready;
  const timestamp = ready.event.timestamp === undefined ? (earlier.timestamp ?? String(Math.floor(clock.now() / 1_000))) : undefined;
  const event = { ...ready.event, ...(timestamp !== undefined && { timestamp }) };
  const location = ready.location ?? earlier.location;
  const options = { timeoutMs, ...(environment && { environment }), ...(location ? { location } : clientIP !== undefined && { clientIP }) };
  const about: RelayReport<Player> = { operation, player: ready.player, event };
  const held = { ...earlier, ...(timestamp !== undefined && { timestamp }) };

  const { inDoubt } = earlier;
  const again = inDoubt !== undefined && client.resend && (() => client.resend?.(inDoubt, { timeoutMs }) as Promise<Receipt>);

  async function succeed(receipt: Receipt): Promise<Answer> {
    recent.set(key, { ...(timestamp !== undefined && { timestamp }), ...(receipt.location && { location: receipt.location }) });
    await tell('onReceipt', () => settings.onReceipt?.(receipt, about), settings);
    return answerForReceipt(receipt);
  }

  async function fail(error: unknown): Promise<Answer> {
    if (!isReportingError(error)) {
      recent.set(key, held);
      return broken(
        noteFault(settings.logger, `${subjectOf({ operation, reference })}: the client ${describeThrown(error)}`),
        'unknown',
        500,
        'gateway',
        reference,
      );
    }
    // The gateway holds it (a duplicate), or may: the same again must be the same bytes.
    if (error.outcome === 'unknown') recent.set(key, { ...held, inDoubt: error });
    else if (error.code === 'duplicate') recent.set(key, held);
    else recent.forget(key);
    await tell('onError', () => settings.onError?.(error, about), settings);
    return answerForError(error, { ...ready, logger: settings.logger });
  }

  async function run(): Promise<Answer> {
    try {
      const result = again ? await again() : await send(client, operation, event, options);
      if (!isQueued(result)) return succeed(result);
      recent.set(key, held);
      follow(result.done, about, settings);
      return answerForQueued(result, operation, reference);
    } catch (error) {
      // An error that keeps no report leaves it as it was.
      return fail(again && isValidationError(error) ? inDoubt : error);
    }
  }

  // Not at once, so that nothing of it has ended before it is remembered.
  const running = Promise.resolve()
    .then(run)
    .catch((error: unknown) => {
      recent.set(key, held);
      throw error;
    });
  recent.set(key, { ...held, running });
  return running;
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
