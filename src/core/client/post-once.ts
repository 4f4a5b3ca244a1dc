import { type PlayerMessage, type PlayerMessageOptions, postedTexts } from '../errors/player-message.js';
import { asRecord, canonical, isRecord } from '../platform/as-record.js';
import { hasOwn, jsonOf } from '../platform/portable.js';
import { systemClock, withTimeout } from '../platform/time.js';
import { unlessThrown } from '../platform/unless-thrown.js';
import { plainCoordinates } from '../schema/copy-json.js';
import type { LocationInput } from '../schema/location.js';
import { locate, requireMilliseconds, requireThat } from './page-locate.js';

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
   * until then the same content keeps its key. If it rejects, returns nothing or takes longer than 90 s, that is not
   * known. Its error is printed to the console. Default: your backend reports.
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
  /** Whether it is placed, and its `report` is over: the next press is another bet. False after a refusal, too. */
  readonly isOver: boolean;
  /** The text for the player: your backend's `message`, or one that says whether it went through or was refused. */
  readonly message: string;
};

const TIMEOUT_MS = 30_000;
/** A client ends a report within 60 s by default. */
const REPORT_MS = 90_000;
/** After a success, the same content is the second click of a double click (our decision). */
const QUIET_MS = 1_000;
/** A player who comes back the next day means another bet (our decision). */
const KEY_AGE_MS = 86_400_000;
const MOST_KEYS = 100;
const PREFIX = 'location-sdk:';
/** For the developer: the player reads that it is not known yet. */
const IN_DOUBT = 'postOnce: no 2xx with bet_id or request_id (a text), or one that says it failed';

/**
 * The newest keys with which this tab has asked, also where storage is off, full or cleared, and whether each request
 * with it was refused. The oldest is first.
 */
const asked = new Map<string, { readonly key: string; readonly isRefused: boolean }>();
/** The bet of the last second, and how that second ends early. */
let lastPlaced: { name: string; result: object; end: () => void } | undefined;

/**
 * The name of a content: two hashes of 32 bits, by the steps of cyrb53, so that no account's digits lie in the storage.
 * (`crypto.subtle` is missing in pages without https.) Of a hundred contents a day, two have the same name in one of
 * 10^15 browsers.
 */
export function nameOf(url: string, content: unknown): string {
  // The same path is another route on another page.
  const text = `${unlessThrown(() => new Request(url).url) ?? url} ${canonical(content)}`;
  const hashes = [0x9e3779b1, 0x5f356495].map((factor) => {
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), factor);
    return hash;
  });
  return `${PREFIX}${hashes.join()}`;
}

/** It begins with the time. It is not secret, since your backend keeps it beside the player. */
const newKey = (): string =>
  [systemClock.now(), Math.random(), Math.random()].map((number) => number.toString(36).replace('.', '')).join('-');

const isYoung = (key?: string | null): key is string => systemClock.now() - Number.parseInt(key ?? '', 36) < KEY_AGE_MS;

/** The key of a content: that of this tab, of another tab, or the given one. */
function keyOf(name: string, fresh: string): string {
  // Reading the storage throws where it is off, and a web view may have none.
  const there = unlessThrown(() => localStorage.getItem(name));
  const here = asked.get(name)?.key;
  const key = isYoung(here) ? here : (there ?? fresh);
  // The key of another tab stays: it may be in doubt of a later bet.
  if (!there) unlessThrown(() => localStorage.setItem(name, key));
  return key;
}

function keep(name: string, key: string, isRefused: boolean): void {
  asked.set(name, { key, isRefused });
  if (asked.size > MOST_KEYS) asked.delete(asked.keys().next().value as string);
}

function forget(name: string, key: string): void {
  asked.delete(name);
  unlessThrown(() => {
    // Not the key of a later bet of another tab.
    if (localStorage.getItem(name) === key) localStorage.removeItem(name);
  });
}

const forgetOld = (): void =>
  unlessThrown(() => {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(PREFIX) && !isYoung(localStorage.getItem(name))) localStorage.removeItem(name);
  });

async function within<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const got = await withTimeout(work, { clock: systemClock, milliseconds });
  return got.ended === 'done' ? got.value : undefined;
}

type Situation = keyof typeof postedTexts;
type Json = Readonly<Record<string, unknown>>;

/** Nothing without an answer, and for one that is not a JSON object. */
const post = (
  url: string,
  request: Pick<PostOnceOptions<object>, 'headers'>,
  milliseconds: number,
): Promise<[Json, string] | undefined> =>
  within(milliseconds, async (signal) => {
    // Two names that differ in their case alone would be one value with a comma.
    const headers = new Headers(request.headers);
    headers.set('content-type', 'application/json');
    const response = await fetch(url, { ...request, headers, signal });
    const answer: unknown = await response.json();
    return isRecord(answer) ? [answer, `${response.redirected ? '-' : ''}${response.status}`] : undefined;
  });

/** Whether the answer itself says that it failed. An error that is false, 0 or empty says nothing (our decision). */
const hasFailed = ({ success = true, ok = true, error, errors }: Json): boolean =>
  /""|[[",](false|0)/i.test(jsonOf([success, ok])) ||
  !/^\[(\[]|{}),(\[]|{})]$/.test(jsonOf([error || [], errors || []]));

/**
 * The situation of the player. After a request in doubt a refusal is in doubt, too, since that request may have placed
 * it. With 408, 425 and 429 the route wants to be asked again, and with 409 an earlier request may still run.
 */
function situationOf(answer: Json, status: string, isCertain: boolean): Situation {
  const hasId = [answer.request_id, answer.bet_id].some((id) => typeof id === 'string' && id);
  if (isCertain && !hasId && /^4(0[0-4]|22)/.test(status)) return status === '401' ? 'logged-out' : 'refused';
  // A failure may name its request, too.
  if (hasId && /2..$/.test(status) && !hasFailed(answer)) return 'recorded';
  console.warn(IN_DOUBT, status);
  return 'in-doubt';
}

/**
 * Posts the bet or withdrawal of a player to your own route, with the position and a key. However often the player
 * presses, reloads or opens the page in another tab, the same content has the same key until your backend has placed
 * it. Your route treats the same key of the same player as the same bet.
 *
 * It posts JSON: your content, `key` (at most 60 letters, digits and hyphens), and `location` if the player allows it,
 * to be read with `pageLocation`. Your route answers with JSON: `bet_id` or `request_id` (a text) and status 200 once it
 * is placed, and `message`, the words for the player. Without an answer within 30 s, or with an answer that is not JSON,
 * the result says that it is not known yet. After that, and after a refusal, the next press with the same content has
 * the same key: your route finds what it placed before it refuses, and keeps no refusal under a key.
 *
 * Once it is placed, the same content is another bet after one second: until then it is a double click, and gets the
 * same result; in another tab, or after a reload, it has the same key. A key is kept for a day in `localStorage`, under
 * a hash of address and content; without storage, not beyond a reload (our decision). Rejects with a
 * `ValidationError` if the content (a plain object, not a `FormData`) or `timeoutMs` is wrong.
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
  const { timeoutMs = TIMEOUT_MS, headers, credentials, location, report, messages = {} } = options;
  // The page may change its object while the position is looked for.
  const posted = unlessThrown((): unknown => JSON.parse(jsonOf(content)));
  requireThat(url, 'postOnce', 'url', 'is missing');
  // A FormData and a Map are `{}` in JSON: all would be one bet.
  const isPlain = isRecord(posted) && {}.toString.call(content) === '[object Object]';
  const isContent = isPlain && !hasOwn(posted, 'key') && !hasOwn(posted, 'location');
  requireThat(isContent, 'postOnce', 'content', 'expected a plain object without key and location');
  requireMilliseconds('postOnce', timeoutMs);
  const name = nameOf(url, posted);
  if (lastPlaced?.name === name) return lastPlaced.result as PostOnceResult<Answer>;
  // Another content between is another intention: then the last one is not a double click.
  lastPlaced?.end();
  forgetOld();
  const made = newKey();
  const first = keyOf(name, made);
  const place = location === undefined && !report ? await locate().catch(() => undefined) : location;
  // Meanwhile another tab may have written its key for the same content, or placed it and removed the key.
  const key = keyOf(name, first);
  const isCertain = key === made || !!asked.get(name)?.isRefused;
  keep(name, key, false);
  const body = jsonOf({ ...(posted as object), key, location: place ? plainCoordinates(place) : undefined });
  const request = { method: 'POST', headers, body, credentials };
  const [answer, status]: [Json, string] = (await post(url, request, timeoutMs)) ?? [{}, ''];
  let situation = situationOf(answer, status, isCertain);
  let text = answer.message;
  if (report && situation === 'recorded') {
    const reported = asRecord(
      await within(REPORT_MS, () =>
        Promise.resolve(answer as Answer)
          .then(report)
          .catch(console.error),
      ),
    );
    text = reported.text;
    if (reported.isOver !== true) situation = 'in-doubt';
  }
  const message = typeof text === 'string' && text ? text : messages[situation] || postedTexts[situation];
  const isOver = situation === 'recorded';
  const result = { ...answer, isOver, message };
  // Another call for the same content may have ended meanwhile. If this one is not over, it may be pressed again. Also
  // after a refusal: browsers repeat a request by themselves, and the first one may have placed it.
  if (!isOver) keep(name, keyOf(name, key), situation !== 'in-doubt');
  else {
    asked.delete(name);
    // Until then another tab has the key, and so has a page that is reloaded before the player can read the answer.
    const end = () => {
      if (lastPlaced?.result === result) lastPlaced = undefined;
      if (!asked.has(name)) forget(name, key);
    };
    lastPlaced = { name, result, end };
    systemClock.setTimeout(end, QUIET_MS);
  }
  return result as unknown as PostOnceResult<Answer>;
}
