import { ConfigurationError } from '../../../errors/errors.js';
import { asRecord } from '../../../platform/as-record.js';
import { type Clock, systemClock } from '../../../platform/time.js';
import type { WebAbortSignal } from '../../../platform/web-types.js';
import { issue, type ValidationIssue } from '../../../schema/issue.js';
import { isClock, isFlag, isLimit, isObject, must, option, optional, readOptions } from '../../../schema/option-rules.js';

/** A channel to other tabs. Every `BroadcastChannel` fits. */
export interface ChannelLike {
  /** Receives the messages of other tabs. */
  onmessage: ((event: never) => void) | null;
  /** Sends a message to other tabs. */
  postMessage(message: unknown): void;
  /** Closes the channel. */
  close(): void;
}

/** The parts of the browser that the store uses: `globalThis` fits. Only `indexedDB` is required. */
export interface IndexedDbPlatform {
  /** The database of the browser. */
  readonly indexedDB?:
    | {
        /** Opens a database. */
        open(name: string, version?: number): object;
      }
    | undefined;
  /** Locks and storage, if the page has them. */
  readonly navigator?:
    | {
        /** Locks choose one tab as the leader. Without them, all tabs send, and only leases keep them apart. */
        readonly locks?:
          | {
              /** Waits for a lock. */
              request(
                name: string,
                options: {
                  /** Cancels the wait. */
                  signal: WebAbortSignal;
                },
                callback: () => Promise<void>,
              ): Promise<unknown>;
            }
          | undefined;
        /** The storage manager, which can promise to keep the data. */
        readonly storage?:
          | {
              /** Whether the browser has promised to keep the data. */
              persisted?(): Promise<boolean>;
              /** Requests that promise. */
              persist?(): Promise<boolean>;
            }
          | undefined;
      }
    | undefined;
  /** Tells the leader about reports of other tabs at once. Without it, the leader finds them by polling. */
  readonly BroadcastChannel?: (new (name: string) => ChannelLike) | undefined;
  /** The events of the page. A frozen or hidden leader hands over. Reports without an answer are sent when the page is online or comes back. */
  readonly addEventListener?: ((type: 'pagehide' | 'freeze' | 'online' | 'pageshow', listener: () => void, capture?: boolean) => void) | undefined;
  /** Removes a listener. */
  readonly removeEventListener?: ((type: 'online' | 'pageshow', listener: () => void) => void) | undefined;
  /** The document: reports without an answer are also sent when it becomes visible. A web worker has none. */
  readonly document?:
    | {
        /** Whether the page is visible. */
        readonly visibilityState: string;
        /** Adds a listener for changes of the visibility. */
        addEventListener(type: 'visibilitychange', listener: () => void): void;
        /** Removes a listener. */
        removeEventListener(type: 'visibilitychange', listener: () => void): void;
      }
    | undefined;
}

/** The options of the IndexedDB store. */
export interface IndexedDbStoreOptions {
  /** The name of the database. Tabs of an origin with the same name share the outbox. Default: `'location-sdk-outbox'`. */
  name?: string | undefined;
  /**
   * The player who is logged in. Required if the client has `relayUrl`, and only allowed then. Pass the player's id of the relay:
   * `user.user_id`, or the `outboxPlayer` that `authorize` returns. Each player has a separate database, named with a hash of
   * this value. The relay refuses its reports in the session of another player. Stop the outbox when the player logs out, and
   * make another store for the next player.
   */
  player?: string | undefined;
  /** The time limit of one operation of the browser's storage, in milliseconds. Default: 10,000. */
  timeoutMs?: number | undefined;
  /**
   * Whether the store requests, once, that the browser keeps the data when space runs short (`navigator.storage.persist()`).
   * Firefox shows the visitor a question; Chromium and Safari decide by themselves. The store does not wait for the answer.
   * Default: true.
   */
  persist?: boolean | undefined;
  /** The clock of the rows and the time limits. Default: the system's. */
  clock?: Clock | undefined;
  /** Replaces parts of the browser, for tests and wrappers. Default: `globalThis`. */
  platform?: IndexedDbPlatform | undefined;
}

/** The complete settings of the store, with all defaults. */
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

/** Whether there is IndexedDB. If storage is switched off, some browsers throw here. Then opening the database gives the exact error. */
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
