import { ConfigurationError } from '../../../errors/errors.js';
import { asRecord } from '../../../platform/as-record.js';
import { type Clock, systemClock } from '../../../platform/time.js';
import type { WebAbortSignal } from '../../../platform/web-types.js';
import { issue, type ValidationIssue } from '../../../schema/issue.js';
import { isClock, isFlag, isLimit, isObject, must, option, optional, readOptions } from '../../../schema/option-table.js';

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

const isName = must('a string that is not empty', (value) => typeof value === 'string' && value !== '');

/** Every option of the IndexedDB store and its default. */
const optionTable = {
  name: option(isName, 'location-sdk-outbox'),
  player: optional<string>(isName),
  timeoutMs: option(isLimit, 10_000),
  persist: option(isFlag, true),
  clock: option<Clock>(isClock, systemClock),
  platform: optional<IndexedDbPlatform>(isObject),
};

/** Where storage is switched off, some browsers refuse even to look. There is a database then, and to open it tells why it cannot be used. */
function hasDatabase(platform: unknown): boolean {
  try {
    return Boolean(asRecord(platform).indexedDB);
  } catch {
    return true;
  }
}

/** Checks the options. Throws a `ConfigurationError` that lists every problem. */
export function readIndexedDbOptions(options: IndexedDbStoreOptions): IndexedDbSettings {
  const read = readOptions('indexedDbStore', optionTable, options, ({ player, platform = globalThis }) => {
    const issues: ValidationIssue[] = [];
    if (player && !globalThis.crypto?.subtle) issues.push(issue(['player'], 'invalid', 'this page has no WebCrypto; it needs https'));
    if (!hasDatabase(platform)) issues.push(issue(['platform'], 'invalid', 'there is no IndexedDB here; this store is for pages'));
    return issues;
  });
  if (read.problem !== undefined) throw new ConfigurationError(read.problem);
  return { ...read.complete, platform: (read.complete.platform ?? globalThis) as IndexedDbSettings['platform'] };
}
