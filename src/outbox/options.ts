import type { Client } from '../core/client/client.js';
import type { ClientMode } from '../core/client/payloads.js';
import type { OutboxEncryption } from './seal/encryption.js';
import type { OutboxStore } from './store/store.js';

/** The waits between attempts. The number of attempts is not limited. */
interface OutboxRetryOptions {
  /** The longest first wait, in milliseconds. Each further wait doubles. Default: 1,000. */
  baseMs?: number | undefined;
  /** The longest wait of its own, in milliseconds. Default: 300,000. */
  capMs?: number | undefined;
}

/** The options of `createOutbox` for several accounts, with a client for each account. */
export interface AccountsOptions<Account extends string = string, Mode extends ClientMode = ClientMode>
  extends Omit<OutboxOptions<Mode>, 'client' | 'account'> {
  /** The client of each account, by the account's name. Each client has the gateway and the key of its licence. */
  accounts: Readonly<Record<Account, Client<Mode>>>;
}

/** The options of `createOutbox`. */
export interface OutboxOptions<Mode extends ClientMode = ClientMode> {
  /** Validates, locates and sends. The outbox uses its own `retry`. */
  client: Client<Mode>;
  /** Keeps reports until they are recorded. In a page, use one store per player: `await indexedDbStore({ player })`. */
  store: OutboxStore;
  /**
   * One name for each licence, of letters, digits, `.`, `_` and `-`. Outboxes of several accounts may share a store.
   * Default: `'default'`.
   */
  account?: string | undefined;
  /** The number of reports that are sent at the same time, at most 1,000. Default: 8. */
  concurrency?: number | undefined;
  /** The waits between attempts. */
  retry?: OutboxRetryOptions | undefined;
  /**
   * The time for which a worker has a report to itself, in milliseconds, at most 12 hours. Default: `attemptTimeoutMs`
   * + 20,000.
   */
  leaseMs?: number | undefined;
  /** The interval in which a worker looks for new reports and due probes, in milliseconds. Default: 1,000. */
  pollMs?: number | undefined;
  /**
   * The time for which `stop` waits for attempts under way, in milliseconds. `stopOnSignals` uses its own time instead.
   * Default: 10,000.
   */
  stopTimeoutMs?: number | undefined;
  /**
   * The number of refusals in a row, of all workers together, after which an operation pauses in its environment. The
   * first recorded report ends the pause. Default: 5.
   */
  breakerAfter?: number | undefined;
  /**
   * The most reports per second for each environment of an account, of all workers of one store that have it: from 1 to
   * 100,000. After a 429, the outbox lowers the rate by itself, also without this option. It has no effect in a page.
   * Default: no limit before the first 429.
   *
   * @example
   * ```ts
   * const outbox = createOutbox({ client, store, ratePerSecond: 100 });
   * ```
   */
  ratePerSecond?: number | undefined;
  /** Keeps the bodies of recorded reports in the store. Default: false. */
  keepBodies?: boolean | undefined;
  /**
   * Called with a line of JSON, without personal data, for each report that this process has recorded, and for each new
   * last hash of the log of receipts. Write it to your log at once, outside the database: `stop` does not wait.
   * `reconcile` reads it there, and finds the reports that a failover lost. An error that it throws stops no report, and
   * emits `error`, once until it works again. Default: none.
   */
  onReceipt?: ((line: string) => unknown) | undefined;
  /** Encrypts the stored bodies with your keys. Default: plain text. */
  encryption?: OutboxEncryption | undefined;
}
