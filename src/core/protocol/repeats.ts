import { canonical, underSymbol } from '../platform/as-record.js';
import type { ReportName } from './operations.js';

type Event = Readonly<Record<string, unknown>>;

/** Of a repeat the first time and place count. The others are parameters of its call. */
const NOT_CONTENTS: readonly string[] = ['timestamp', 'location', 'environment', 'clientIP'];

/** The part of an event that its repeat must have unchanged, as one text. */
export const contentsOf = (event: Event): string =>
  canonical(Object.fromEntries(Object.entries(event).filter(([name]) => !NOT_CONTENTS.includes(name))));

interface StoredReport {
  readonly id: string;
  readonly state: string;
  readonly done: Promise<unknown>;
}

/**
 * Finds the stored report that an event repeats: one with its reference and contents, of any time and place. Undefined
 * if there is none, also if other data is stored under the reference.
 */
type FindRepeat = (operation: ReportName, event: Event, environment?: unknown) => Promise<StoredReport | undefined>;

// Two copies of the package in one program share this key, so its text must not change.
const REPEATS = Symbol.for('location-sdk.outbox-repeats');

/** Under a symbol, which loggers and serialisers skip. */
export const withRepeats = (outbox: object, value: FindRepeat): object =>
  Object.defineProperty(outbox, REPEATS, { value });

/** Also of an outbox made by another copy of the package. */
export const repeatsOf = (client: unknown): FindRepeat | undefined =>
  underSymbol(client, REPEATS) as FindRepeat | undefined;
