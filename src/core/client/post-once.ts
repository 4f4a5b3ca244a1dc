import { ValidationError } from '../errors/errors.js';
import { inDoubtText, type PlayerMessage, type PlayerMessageOptions, recordedText } from '../errors/player-message.js';
import { asRecord, canonical, isRecord } from '../platform/as-record.js';
import { hasOwn, jsonOf } from '../platform/portable.js';
import { systemClock, withTimeout } from '../platform/time.js';
import { unlessThrown } from '../platform/unless-thrown.js';
import { issue } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import { listIssues } from '../schema/validate.js';
import { locate, requireMilliseconds } from './page-locate.js';

/** The answer of `report`: a result of `playerMessage`. */
type Reported = Pick<PlayerMessage, 'isOver' | 'text'>;

/** The content of `postOnce`: any plain data, also of an interface. */
type PostedContent = (object | Readonly<Record<string, unknown>>) & {
  /** `postOnce` adds it. */
  readonly key?: never;
  /** `postOnce` adds it. */
  readonly location?: never;
  /** Your backend knows the player from its session. */
  readonly user?: never;
};

/** The settings of one `postOnce`. */
export interface PostOnceOptions<Answer extends object> {
  /** The longest wait for your backend's answer, in milliseconds, without the time for the position. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** Further headers of the request, for example a token against forged requests. Default: none. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Whether cookies go to another origin, as for `fetch`. Default: `'same-origin'`. */
  credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** A position that you have already, or null for none. Default: that of `locate()`; none if you give `report`. */
  location?: LocationInput | null | undefined;
  /**
   * Reports what your backend placed, in a page that reports through a relay. Its result says whether this bet is over;
   * until then the same content keeps its key. If it rejects or returns nothing, that is not known, and the error is
   * printed to the console. Default: your backend reports.
   */
  report?: ((answer: Answer) => Promise<Reported>) | undefined;
  /**
   * The texts in the page's language for no answer, and for one without a `message` of its own, by the situations of
   * `playerMessage`. Default: English.
   */
  messages?: PlayerMessageOptions['messages'];
}

/** The result of `postOnce`: the members of your backend's JSON, and these two. */
export type PostOnceResult<Answer extends object> = Omit<Partial<Answer>, 'isOver' | 'message'> & {
  /** Whether it is placed, and its `report` is over: the next press is another bet. Until then the key stays. */
  readonly isOver: boolean;
  /** The text for the player: your backend's `message`, or one that says whether it went through. */
  readonly message: string;
};

const TIMEOUT_MS = 30_000;
/** After a success, the same content is the second click of a double click (our decision). */
const QUIET_MS = 1_000;
/** A player who comes back the next day means another bet (our decision). */
const KEY_AGE_MS = 86_400_000;
const PREFIX = 'location-sdk:';
/** For the developer: the player reads that it is not known yet. */
const WITHOUT_ID =
  'postOnce: the answer of your route has no bet_id or request_id (a text), so nothing counts as placed.';

/** The keys with which this tab has asked, also where storage is off, full or cleared. */
const asked = new Map<string, string>();
let last: { readonly name: string; readonly at: number; readonly result: object } | undefined;

/** The storage of all tabs. Reading it throws where it is off, and a web view may have none. */
const stored = {
  read: (name: string): string | undefined =>
    unlessThrown(() => {
      const key = localStorage.getItem(name) ?? '';
      return isYoung(key) ? key : undefined;
    }),
  write: (name: string, key: string): void => unlessThrown(() => localStorage.setItem(name, key)),
  /** Not the key of a later bet of another tab. */
  remove: (name: string, key: string): void =>
    unlessThrown(() => {
      if (localStorage.getItem(name) === key) localStorage.removeItem(name);
    }),
  sweep: (): void =>
    unlessThrown(() => {
      for (const name of Object.keys(localStorage))
        if (name.startsWith(PREFIX) && !isYoung(localStorage.getItem(name) ?? '')) localStorage.removeItem(name);
    }),
};

/** A key begins with the time at which it was made. */
const isYoung = (key: string): boolean => systemClock.now() - Number.parseInt(key, 36) < KEY_AGE_MS;

function newKey(): string {
  // An app may have no `crypto`, or a part of it. The key is not secret, since your backend keeps it beside the player.
  const numbers =
    unlessThrown(() => crypto.getRandomValues(new Uint32Array(4))) ?? [1, 1, 1, 1].map(() => Math.random() * 2 ** 32);
  return [systemClock.now(), ...numbers].map((number) => Math.floor(number).toString(36)).join('-');
}

/** The key of a content: that of this tab, of another tab, or a new one. */
function keyOf(name: string, fresh = newKey()): string {
  const there = stored.read(name);
  const key = asked.get(name) ?? there ?? fresh;
  // The key of another tab stays: it may be in doubt of a later bet.
  if (!there) stored.write(name, key);
  return key;
}

/**
 * Posts the bet or withdrawal of a player to your own route, with the position and a key. However often the player
 * presses, reloads or opens the page in another tab, the same content has the same key until your backend has placed
 * it. Your route treats the same key of the same player as the same bet.
 *
 * It posts JSON: your content, `key` (at most 60 letters, digits and hyphens), and `location` if the player allows it,
 * to be read with `pageLocation`. Your route answers with JSON: `bet_id` or `request_id` (a text) and status 200 once it
 * is placed, and `message`, the words for the player. Without an answer within 30 s, or with an answer that is not JSON,
 * the result says that it is not known yet, and the next press with the same content has the same key.
 *
 * Once it is placed, the same content is another bet after one second: until then it is a double click, and gets the
 * same result. A key is kept for a day in `localStorage`, under a name with the content; without storage, until the
 * page is reloaded (our decision). Rejects with a `ValidationError` if the content or `timeoutMs` is wrong.
 *
 * @example
 * ```ts
 * const { isOver, message } = await postOnce('/bets', { stake: 1500, odds: 2.45 });
 * if (isOver) form.reset();
 * output.value = message;
 * ```
 */
export async function postOnce<Answer extends object = { bet_id: string }>(
  url: string,
  content: PostedContent,
  options: PostOnceOptions<Answer> = {},
): Promise<PostOnceResult<Answer>> {
  const { timeoutMs = TIMEOUT_MS, headers, credentials = 'same-origin', location, report, messages = {} } = options;
  // The page may change its object while the position is looked for.
  const posted = unlessThrown((): unknown => JSON.parse(jsonOf(content)));
  requireGiven(url, posted);
  requireMilliseconds('postOnce', timeoutMs);
  const name = `${PREFIX}${url} ${canonical(posted)}`;
  // Also after the clock was set back.
  if (last?.name === name && Math.abs(systemClock.now() - last.at) < QUIET_MS)
    return last.result as PostOnceResult<Answer>;
  stored.sweep();
  const first = keyOf(name);
  const place = location === undefined && !report ? await locate().catch(() => undefined) : location;
  // Meanwhile another tab may have written its key for the same content, or placed it and removed the key.
  const key = keyOf(name, first);
  asked.set(name, key);
  const body = jsonOf({ ...posted, key, location: place ?? undefined });
  const got = await withTimeout(
    async (signal) => {
      const request = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
      const response = await fetch(url, { ...request, credentials, signal });
      const answer: unknown = await response.json();
      return { answer, isOk: response.ok };
    },
    { clock: systemClock, milliseconds: timeoutMs },
  );
  const answer: Readonly<Record<string, unknown>> =
    got.ended === 'done' && isRecord(got.value.answer) ? got.value.answer : {};
  const { bet_id, request_id = bet_id, success } = answer;
  // A failure may name the request, too.
  const isSuccess = got.ended === 'done' && got.value.isOk && isRecord(got.value.answer) && success !== false;
  const isPlaced = isSuccess && typeof request_id === 'string' && request_id !== '';
  if (isSuccess && !isPlaced) console.warn(WITHOUT_ID);
  // A report that throws or returns nothing leaves the bet in doubt. The error is the page's own.
  const reported: Partial<Reported> | undefined =
    isPlaced && report
      ? asRecord(
          await Promise.resolve(answer as Answer)
            .then(report)
            .catch(console.error),
        )
      : undefined;
  const isOver = reported ? reported.isOver === true : isPlaced;
  if (isOver) {
    asked.delete(name);
    stored.remove(name, key);
  } else {
    // Another call for the same content may have ended meanwhile. This one may be pressed again.
    asked.set(name, keyOf(name, key));
  }
  const { recorded = recordedText, 'in-doubt': inDoubt = inDoubtText } = messages;
  const said = reported ? reported.text : answer.message;
  const message = typeof said === 'string' && said ? said : isOver ? recorded : inDoubt;
  const result = { ...answer, isOver, message };
  if (isOver) last = { name, at: systemClock.now(), result };
  return result as unknown as PostOnceResult<Answer>;
}

function requireGiven(url: unknown, content: unknown): asserts content is Record<string, unknown> {
  const issues = [
    ...(typeof url === 'string' && url ? [] : [issue(['url'], 'invalid', 'expected an address')]),
    ...(isRecord(content) && !hasOwn(content, 'key') && !hasOwn(content, 'location')
      ? []
      : [issue(['content'], 'invalid', 'expected an object without key and location')]),
  ];
  if (issues.length === 0) return;
  throw new ValidationError(`postOnce: ${listIssues(issues)}\nNothing was sent.`, { operation: 'postOnce', issues });
}
