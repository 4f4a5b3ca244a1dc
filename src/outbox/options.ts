import type { Client } from '../client/client.js';
import type { ClientMode } from '../client/payloads.js';
import type { OutboxEncryption } from './seal/encryption.js';
import type { Seal } from './seal/seal.js';
import type { OutboxStore } from './store.js';

/** How long a report waits between attempts; any number of them is made. */
export interface OutboxRetryOptions {
  /** The first wait at most, in milliseconds; each next one doubles. Default: 1,000. */
  baseMs?: number | undefined;
  /** The longest wait, in milliseconds. Default: 300,000. */
  capMs?: number | undefined;
}

/** What `createOutbox` takes for several accounts: as for one, with a client for each account. */
export interface AccountsOptions<Account extends string = string, Mode extends ClientMode = ClientMode>
  extends Omit<OutboxOptions<Mode>, 'client' | 'account'> {
  /** The client of each account, by its name. Each has the gateway and the key of its licence. */
  accounts: Readonly<Record<Account, Client<Mode>>>;
}

/** What `createOutbox` takes. */
export interface OutboxOptions<Mode extends ClientMode = ClientMode> {
  /** Validates, locates and sends. Its `retry` is not used: the outbox has a schedule of its own. */
  client: Client<Mode>;
  /** Where reports are kept until they are recorded. With a client of `relayUrl`, one player's: `await indexedDbStore({ player })`. */
  store: OutboxStore;
  /**
   * Whose reports these are: one name for each licence, of letters, digits, `.`, `_` and `-`. Outboxes of several accounts may
   * share a store; each sends its own reports alone. Part of every id. Default: `'default'`.
   */
  account?: string | undefined;
  /** How many reports are sent at the same time. A probe of a pause is sent beside them. Default: 8. */
  concurrency?: number | undefined;
  /** Attempts after a failure. */
  retry?: OutboxRetryOptions | undefined;
  /**
   * Milliseconds for which a worker has a report to itself; longer than the client's `attemptTimeoutMs`, and 12 hours at
   * most. Default: `attemptTimeoutMs` and 20,000.
   */
  leaseMs?: number | undefined;
  /** How often an idle worker looks for reports of other processes, and a busy one for due probes, in milliseconds. Default: 1,000. */
  pollMs?: number | undefined;
  /** How long `stop` waits for attempts on their way, in milliseconds; where `stopOnSignals` stops it, the time of that counts instead. Default: 10,000. */
  stopTimeoutMs?: number | undefined;
  /**
   * After how many refusals in a row, with nothing of the same operation recorded between them, that operation pauses at its
   * destination: then one of its reports at a time is tried, none of them is quarantined, and the first that is recorded ends
   * it. The other operations go on. Default: 5.
   */
  breakerAfter?: number | undefined;
  /** Keeps the bodies of recorded reports in the store. Default: false, only their fingerprints stay. */
  keepBodies?: boolean | undefined;
  /** Encrypts the stored bodies, with keys of yours. Default: bodies are stored as they are until they are recorded. */
  encryption?: OutboxEncryption | undefined;
  /** Instead of `encryption`: seals bodies and makes fingerprints by your own means. */
  seal?: Seal | undefined;
}
