import { ConfigurationError } from '../../../errors/errors.js';
import { ownOptions } from '../../../platform/as-record.js';
import { type Clock, systemClock } from '../../../platform/time.js';
import type { WebAbortSignal } from '../../../platform/web-types.js';

/** A channel to other tabs; every `BroadcastChannel` fits. */
export interface ChannelLike {
  /** Hears the other tabs. */
  onmessage: ((event: never) => void) | null;
  /** Tells the other tabs. */
  postMessage(message: unknown): void;
  /** Lets go of it. */
  close(): void;
}

/** What the store uses of the browser: `globalThis` fits. It does without a member that is not there, but for `indexedDB`. */
export interface IndexedDbPlatform {
  /** Where the database is. */
  readonly indexedDB?:
    | {
        /** Opens a database. */
        open(name: string, version?: number): object;
      }
    | undefined;
  /** Locks and storage, where the page has them. */
  readonly navigator?:
    | {
        /** For one leader among tabs. Without it all tabs work, kept apart by leases alone. */
        readonly locks?:
          | {
              /** Waits for a lock. */
              request(
                name: string,
                options: {
                  /** Ends the waiting for it. */
                  signal: WebAbortSignal;
                },
                callback: () => Promise<void>,
              ): Promise<unknown>;
            }
          | undefined;
        /** Tells whether the browser promised to keep the data. */
        readonly storage?:
          | {
              /** Whether it did. */
              persisted?(): Promise<boolean>;
              /** Asks it to. */
              persist?(): Promise<boolean>;
            }
          | undefined;
      }
    | undefined;
  /** By which the leader learns of other tabs' reports at once instead of at its next look. */
  readonly BroadcastChannel?: (new (name: string) => ChannelLike) | undefined;
  /** A leader that is frozen, or goes into the cache for "back", hands over. Reports that had no answer are sent once the page is online or comes back. */
  readonly addEventListener?: ((type: 'pagehide' | 'freeze' | 'online' | 'pageshow', listener: () => void, capture?: boolean) => void) | undefined;
  /** Hears no more of it. */
  readonly removeEventListener?: ((type: 'online' | 'pageshow', listener: () => void) => void) | undefined;
  /** The same when the page becomes visible; a worker has none. */
  readonly document?:
    | {
        /** Whether the page is seen. */
        readonly visibilityState: string;
        /** Hears when that changes. */
        addEventListener(type: 'visibilitychange', listener: () => void): void;
        /** Hears no more of it. */
        removeEventListener(type: 'visibilitychange', listener: () => void): void;
      }
    | undefined;
}

/** What the IndexedDB store takes. */
export interface IndexedDbStoreOptions {
  /** The name of the database: tabs of an origin that use the same share the outbox. Default: `'location-sdk-outbox'`. */
  name?: string | undefined;
  /**
   * In a page whose client has `relayUrl`, and required there: who is logged in, as the relay knows the player
   * (`user.user_id`, or what `authorize` gives as `outboxPlayer`). Each player has a database, named with a hash of this,
   * and the relay takes its reports in no other player's session. Stop the outbox when the player logs out, and make
   * another store for the next one.
   */
  player?: string | undefined;
  /** The longest wait for the browser's storage, for one operation, in milliseconds. Default: 10,000. */
  timeoutMs?: number | undefined;
  /**
   * Whether the browser is asked, once, to keep the data when space runs short (`navigator.storage.persist()`). Firefox
   * shows the visitor a question; Chromium and Safari decide by themselves. Nothing waits for the answer. Default: true.
   */
  persist?: boolean | undefined;
  /** The clock of the rows and the time limits. Default: the system's. */
  clock?: Clock | undefined;
  /** For tests, and for pages that wrap it. Default: `globalThis`. */
  platform?: IndexedDbPlatform | undefined;
}

/** Nothing is optional any more. */
export interface IndexedDbSettings {
  readonly name: string;
  readonly player: string | undefined;
  readonly timeoutMs: number;
  readonly persist: boolean;
  readonly clock: Clock;
  readonly platform: Omit<IndexedDbPlatform, 'indexedDB'> & { readonly indexedDB: IDBFactory };
}

/** Checks the options. Throws a `ConfigurationError` that lists every problem. */
export function readOptions(options: IndexedDbStoreOptions): IndexedDbSettings {
  const {
    name = 'location-sdk-outbox',
    player,
    timeoutMs = 10_000,
    persist = true,
    clock = systemClock,
    platform = globalThis as IndexedDbPlatform,
  } = ownOptions(options);
  const problems = [
    player !== undefined && (typeof player !== 'string' || !player) && 'player: expected a string that is not empty',
    player && !globalThis.crypto?.subtle && 'player: this page has no WebCrypto; it needs https',
    (typeof name !== 'string' || !name) && 'name: expected a string that is not empty',
    !(timeoutMs > 0) && 'timeoutMs: expected a number of milliseconds above 0',
    typeof persist !== 'boolean' && 'persist: expected true or false',
    !platform.indexedDB && 'there is no IndexedDB here; this store is for pages',
  ].filter(Boolean);
  if (problems.length > 0) throw new ConfigurationError(`indexedDbStore: ${problems.join('; ')}.`);
  return { name, player, timeoutMs, persist, clock, platform: platform as IndexedDbSettings['platform'] };
}
