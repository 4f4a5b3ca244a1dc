import { requireOptions } from '../../../core/errors/errors.js';
import { type Clock, systemClock } from '../../../core/platform/time.js';
import { isClock, isFlag, isLimit, must, option, optional } from '../../../core/schema/option-rules.js';

/** The options of the IndexedDB store. */
export interface IndexedDbStoreOptions {
  /**
   * The name of the database. Tabs of an origin with the same name share the outbox. Default: `'location-sdk-outbox'`.
   */
  name?: string | undefined;
  /**
   * The player who is logged in. Required if the client has `relayUrl`, and only allowed then. Pass the player's id of
   * the relay: `user.user_id`, or the `outboxPlayer` that `authorize` returns. Each player has a separate database,
   * named with a hash of this value. The relay refuses its reports in the session of another player. Stop the outbox
   * when the player logs out, and make another store for the next player.
   */
  player?: string | undefined;
  /** The time limit of one operation of the browser's storage, in milliseconds. Default: 10,000. */
  timeoutMs?: number | undefined;
  /**
   * Whether the store requests, once, that the browser keeps the data when space runs short
   * (`navigator.storage.persist()`). Firefox shows the visitor a question; Chromium and Safari decide by themselves.
   * The store does not wait for the answer. Default: true.
   */
  persist?: boolean | undefined;
  /** The clock of the rows and the time limits. Default: the system's. */
  clock?: Clock | undefined;
}

const isName = must('a string that is not empty', (value) => typeof value === 'string' && value !== '');

const optionTable = {
  name: option(isName, 'location-sdk-outbox'),
  player: optional<string>(isName),
  timeoutMs: option(isLimit, 10_000),
  persist: option(isFlag, true),
  clock: option<Clock>(isClock, systemClock),
};

export const readIndexedDbOptions = (options: IndexedDbStoreOptions) =>
  requireOptions('indexedDbStore', optionTable, options).complete;

export type IndexedDbSettings = ReturnType<typeof readIndexedDbOptions>;
