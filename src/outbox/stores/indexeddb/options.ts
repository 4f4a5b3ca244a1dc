import { ConfigurationError } from '../../../errors.js';
import { type Clock, systemClock } from '../../../time.js';
import type { WebAbortSignal } from '../../../web-types.js';

/** A channel to other tabs; every `BroadcastChannel` fits. */
export interface ChannelLike {
  onmessage: ((event: never) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** What the store uses of the browser. A member that is undefined does not exist; the store does without, but for `indexedDB`. */
export interface IndexedDbPlatform {
  /** `window.indexedDB`. */
  readonly indexedDB?: { open(name: string, version?: number): object } | undefined;
  /** `navigator.locks`, for one leader among tabs. Without it all tabs work, kept apart by leases alone. */
  readonly locks?: { request(name: string, options: { signal: WebAbortSignal }, callback: () => Promise<void>): Promise<unknown> } | undefined;
  /** `navigator.storage`, which tells whether the browser promised to keep the data. */
  readonly storage?: { persisted?(): Promise<boolean>; persist?(): Promise<boolean> } | undefined;
  /** Opens a `BroadcastChannel`, by which the leader learns of other tabs' reports at once instead of at its next look. */
  readonly openChannel?: ((name: string) => ChannelLike) | undefined;
  /** `window.addEventListener`: a leader that goes into the cache for "back" hands over. */
  readonly addEventListener?: ((type: 'pagehide', listener: () => void) => void) | undefined;
}

/** What the IndexedDB store takes. */
export interface IndexedDbStoreOptions {
  /** The name of the database: tabs of an origin that use the same share the outbox. Default: `'location-sdk-outbox'`. */
  name?: string | undefined;
  /** The longest wait for the browser's storage, for one operation, in milliseconds. Default: 10,000. */
  timeoutMs?: number | undefined;
  /**
   * Whether the browser is asked, once, to keep the data when space runs short (`navigator.storage.persist()`). Firefox
   * shows the visitor a question; Chromium and Safari decide by themselves. Nothing waits for the answer. Default: true.
   */
  persist?: boolean | undefined;
  /** The clock of the rows and the time limits. Default: the system's. */
  clock?: Clock | undefined;
  /** For tests, and for pages that wrap these. Default: the browser's own. */
  platform?: IndexedDbPlatform | undefined;
}

/** Nothing is optional any more. */
export interface IndexedDbSettings {
  readonly name: string;
  readonly timeoutMs: number;
  readonly persist: boolean;
  readonly clock: Clock;
  readonly platform: Omit<IndexedDbPlatform, 'indexedDB'> & { readonly indexedDB: IDBFactory };
}

function browserPlatform(): IndexedDbPlatform {
  const { indexedDB, navigator, BroadcastChannel, addEventListener } = globalThis as Partial<typeof globalThis>;
  return {
    indexedDB,
    locks: navigator?.locks,
    storage: navigator?.storage,
    openChannel: BroadcastChannel && ((name) => new BroadcastChannel(name)),
    addEventListener,
  };
}

/** Checks the options. Throws a `ConfigurationError` that lists every problem. */
export function readOptions({
  name = 'location-sdk-outbox',
  timeoutMs = 10_000,
  persist = true,
  clock = systemClock,
  platform = browserPlatform(),
}: IndexedDbStoreOptions): IndexedDbSettings {
  const problems: string[] = [];
  if (typeof name !== 'string' || name === '') problems.push('name: expected a string that is not empty');
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) problems.push('timeoutMs: expected a number of milliseconds above 0');
  if (typeof persist !== 'boolean') problems.push('persist: expected true or false');
  if (!platform.indexedDB) problems.push('there is no IndexedDB here: this store is for pages; on a server use the SQLite or PostgreSQL store');
  if (problems.length > 0) throw new ConfigurationError(`indexedDbStore: ${problems.join('; ')}.`);
  return { name, timeoutMs, persist, clock, platform: platform as IndexedDbSettings['platform'] };
}
