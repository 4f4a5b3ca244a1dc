import type { ClientMode } from '../core/client/payloads.js';
import { ConfigurationError } from '../core/errors/errors.js';
import { hasOwn } from '../core/platform/portable.js';
import { nearest } from '../core/schema/option-rules.js';
import type { BackendMethods, OutboxInternals } from './backend-methods.js';
import type { attachOperator } from './decisions/operated.js';
import { createOutboxEvents, type Events, type StoreFailed } from './events.js';
import { createIntake } from './intake/enqueue.js';
import { reportMethods } from './intake/report-methods.js';
import type { attachRepeats } from './intake/stored-repeat.js';
import type { Outbox, Outboxes, OutboxStats } from './interface.js';
import { createLifecycle } from './lifecycle.js';
import { logEvents } from './log-events.js';
import { checkSharedArgument } from './method-options.js';
import type { AccountsOptions, OutboxOptions } from './options.js';
import type { ReceiptMethods } from './receipts/receipt-methods.js';
import type { adviceFor } from './rules/advice.js';
import { operationScope } from './rules/destination.js';
import type { Excerpts } from './seal/excerpt.js';
import type { MakeSeal } from './seal/seal.js';
import { createWaiters } from './sending/receipt-waiters.js';
import type { WorkerParts } from './sending/worker.js';
import { type AccountSettings, type OutboxSettings, readOutboxSettings } from './settings.js';
import { toPublicPauses, toPublicReport } from './store/public-report.js';

/** The function that makes an outbox. */
export interface CreateOutbox {
  /**
   * Makes an outbox of several accounts, for example the licences of an operator with two brands.
   *
   * @example
   * ```ts
   * const outbox = createOutbox({ accounts: { brandA: clientA, brandB: clientB }, store });
   * outbox.start();
   * await outbox.for('brandB').reportBetEvent(bet, { clientIP });
   * ```
   */
  <Account extends string, Mode extends ClientMode = 'strict'>(
    options: AccountsOptions<Account, Mode>,
  ): Outboxes<Account, Mode>;
  /** Makes an outbox of one account. */
  <Mode extends ClientMode = 'strict'>(options: OutboxOptions<Mode>): Outbox<Mode>;
}

interface OutboxParts extends WorkerParts {
  readonly seal: MakeSeal;
  readonly backendMethods: <Mode extends ClientMode>(parts: OutboxInternals) => BackendMethods<Mode>;
  readonly createReceiptMethods: (settings: OutboxSettings, events: Events, storeFailed: StoreFailed) => ReceiptMethods;
  /** Keeps locations for later reports. Absent in a page, which reports no settled withdrawal. */
  readonly createExcerpts?: (settings: OutboxSettings) => Excerpts;
  /** Absent in a page, which has no decisions. */
  readonly adviceFor?: typeof adviceFor;
  /** Why a report may be missing in the store. Absent in a page, where the visitor clears it. */
  readonly lostInDatabase?: string;
  /** Throws at the start if nothing can be sent. Absent in a page, whose client has a relay. */
  readonly requireGateway?: (account: AccountSettings) => void;
  /** Lets a relay find the stored report that an event repeats. */
  readonly attachRepeats?: typeof attachRepeats;
  /** Gives the console access to the parts behind an outbox. */
  readonly attachOperator?: typeof attachOperator;
}

export const createOutboxWith = (parts: OutboxParts): CreateOutbox =>
  (<Mode extends ClientMode>(options: OutboxOptions<ClientMode> | AccountsOptions<string, ClientMode>) => {
    const all = composeOutboxes<Mode>(readOutboxSettings(options, parts.seal), parts);
    const [only = ''] = all.accounts;
    return hasOwn(options, 'accounts') ? all : all.for(only);
  }) as CreateOutbox;

function composeOutboxes<Mode extends ClientMode>(
  settings: OutboxSettings,
  {
    createReceiptMethods,
    createExcerpts,
    adviceFor,
    lostInDatabase,
    requireGateway,
    backendMethods,
    attachRepeats,
    attachOperator,
    ...workerParts
  }: OutboxParts,
): Outboxes<string, Mode> {
  const { store } = settings;
  const events = createOutboxEvents();
  logEvents(events, settings.logger);
  const waiters = createWaiters(settings, { adviceFor, lostInDatabase });
  const receiptMethods = createReceiptMethods(settings, events, (message, cause) =>
    lifecycle.storeFailed(message, cause),
  );
  const excerpts = createExcerpts?.(settings);
  const lifecycle = createLifecycle({ settings, events, waiters, receiptMethods, requireGateway, workerParts });
  const { start, stop, wake } = lifecycle;

  const on: Outbox['on'] = (type, listener) => {
    checkSharedArgument('on', { event: type });
    return events.on(type, listener);
  };

  // A seal that cannot prepare fails again at its first report.
  settings.seal.prepare().catch(() => {});

  async function stats(accounts: readonly string[]): Promise<OutboxStats> {
    const outlooks = await store.outlook(accounts);
    return {
      ...(await store.counts(accounts)),
      missingKeys: await store.missingKeys(accounts),
      paused: toPublicPauses(outlooks),
      destinations: outlooks.map(({ nextInMs, ...one }) => ({
        ...operationScope(one),
        isPending: nextInMs !== undefined,
      })),
    };
  }

  function outboxOf(account: AccountSettings): Outbox<Mode> {
    const { account: name } = account;
    const intake = createIntake(settings, account, events, excerpts, adviceFor);

    const outbox: Outbox<Mode> = {
      get durable() {
        return store.durable;
      },
      ...reportMethods<Mode>({ intake, waiters, wake }),
      start,
      stop,
      stats: () => stats([name]),
      get: async (id) => {
        checkSharedArgument('get', { id });
        const [row] = await store.get([id]);
        return row?.account === name ? toPublicReport(row) : undefined;
      },
      ...backendMethods<Mode>({ settings, account, events, waiters, intake, lifecycle }),
      ...receiptMethods.methods(name),
      on: (type, listener) => on(type, (event) => ((accountOf(event) ?? name) === name ? listener(event) : undefined)),
    };
    attachRepeats?.(outbox, settings, account, waiters);
    attachOperator?.(outbox, { settings, accounts: [name], events, waiters, wake });
    return outbox;
  }

  const outboxes = new Map(settings.accounts.map((one) => [one.account, outboxOf(one)]));
  const accounts = [...outboxes.keys()];

  function outboxFor(account: string): Outbox<Mode> {
    const found = outboxes.get(account);
    const meant = found ? undefined : nearest(String(account), accounts);
    if (!found)
      throw new ConfigurationError(
        `for: this outbox does not have an account of that name; it has ${accounts.join(', ')}${meant ? `; did you mean ${meant}?` : '.'}`,
      );
    return found;
  }

  const all: Outboxes<string, Mode> = {
    get durable() {
      return store.durable;
    },
    accounts,
    for: outboxFor,
    start,
    stop,
    drain: (given) => outboxFor(accounts[0] ?? '').drain(given),
    stats: () => stats(accounts),
    on,
  };
  attachOperator?.(all, { settings, accounts, events, waiters, wake });
  return all;
}

/** The account of an event. Undefined for an event of the store. */
const accountOf = (event: object): string | undefined =>
  'account' in event && typeof event.account === 'string' ? event.account : undefined;
