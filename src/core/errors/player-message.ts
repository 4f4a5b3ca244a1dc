import { hasOwn } from '../platform/portable.js';
import { isBrowser } from '../platform/runtime.js';
import { hasCode, isReportingError } from './errors.js';
import french from './player-messages/fr.json' with { type: 'json' };
import { isStoreError } from './store-error.js';

/** The texts for a player in English, by situation. `{seconds}` is replaced. */
export const english = {
  'in-doubt': 'We do not know yet whether this went through. Ask again: it cannot count twice.',
  'in-doubt-logged-out': 'We do not know yet whether this went through, and you are logged out. Log in, and ask again.',
  offline: 'You are offline. Connect to the internet, and ask again: it cannot count twice.',
  location: 'We could not tell where you are. Allow this site to use your location, and try again.',
  'location-unavailable': 'We cannot tell where you are in this browser. Try another one, or contact support.',
  busy: 'The service is busy. Try again in a minute.',
  'busy-for': 'The service is busy. Try again in {seconds} s.',
  'logged-out': 'You are logged out. Log in, and try again.',
  'reported-before': 'We have received this before. If you cannot find it in your history, contact support.',
  conflict: 'Something else is recorded in its place. Contact support.',
  entries: 'Something is wrong with this entry. Correct it, or contact support.',
  refused: 'This was refused. Contact support.',
  'not-working': 'This does not work at the moment. Contact support.',
  'not-sent': 'Check your connection, and try again.',
  'not-stored': 'Your browser could not save this. Allow this site to store data, and try again.',
  cancelled: 'This was cancelled. You can try again.',
};

/** A situation of a player whose report failed. */
export type PlayerSituation = keyof typeof english;

/** The texts for a player, by situation. `{seconds}` is replaced in `'busy-for'`. */
type PlayerMessages = { readonly [Situation in PlayerSituation]: string };

/** The action for the page's button. */
export type PlayerAction =
  /** Allow the location in the browser, then send the same event again. */
  | 'allow-location'
  /** Try again: `client.resend(error)`, never a new call. */
  | 'ask-again'
  /** Log in. Then call `client.resend(error)` if `error.outcome` is `'unknown'`, else send the same event again. */
  | 'log-in'
  /** Send the same event again, after a moment or after `error.retryAfterMs`. */
  | 'wait'
  /** No button helps. The text names the support. */
  | 'contact-support';

/** The result of `playerMessage`. */
export interface PlayerMessage {
  /** The name of the situation, under which `messages` contains its text. */
  readonly situation: PlayerSituation;
  /** The text for the player. It contains no data of the error except the seconds to wait. */
  readonly text: string;
  /** The action for the player. */
  readonly action: PlayerAction;
  /**
   * Whether this bet or withdrawal is done with, since a report of it is held: the next press is another one. Until
   * then the same event may be sent again.
   */
  readonly isOver: boolean;
}

/** The language and the texts of `playerMessage`. */
export interface PlayerMessageOptions {
  /**
   * A language tag, for example `'fr'` or `'fr-CI'`. The package has English and French, the script-tag files English.
   * For any other tag the text is English. Further languages are files that you pass as `messages`:
   * `location-sdk/player-messages/ha.json`. Default: `'en'`.
   */
  locale?: string | undefined;
  /** Your own texts, by situation. The package's text is used for a situation that you leave out. Default: none. */
  messages?: Partial<PlayerMessages> | undefined;
}

const ACTIONS: { readonly [Situation in PlayerSituation]: PlayerAction } = {
  'in-doubt': 'ask-again',
  'in-doubt-logged-out': 'log-in',
  offline: 'ask-again',
  location: 'allow-location',
  'location-unavailable': 'contact-support',
  busy: 'wait',
  'busy-for': 'wait',
  'logged-out': 'log-in',
  'reported-before': 'contact-support',
  conflict: 'contact-support',
  entries: 'contact-support',
  refused: 'contact-support',
  'not-working': 'contact-support',
  'not-sent': 'wait',
  'not-stored': 'wait',
  cancelled: 'wait',
};

/** Reasons why the page never gets a position, even if the player allows it: only its developer can fix them. */
const PAGE_FAULTS = ['insecure-context', 'blocked-by-policy'];

/** Whether the browser knows that it has no network. It may be wrong about having one. */
const isOffline = (): boolean => (globalThis as { navigator?: { onLine?: unknown } }).navigator?.onLine === false;

/** Whether the page's outbox could not store the report. */
const isNotStored = (error: unknown): boolean => isStoreError(error) && isBrowser();

function situationOf(error: unknown): PlayerSituation {
  // Without a report to resend, the player cannot ask again.
  if (!isReportingError(error)) return isNotStored(error) ? 'not-stored' : isOffline() ? 'not-sent' : 'not-working';
  const { status } = error;
  // Nothing is recorded by a verification, and its error keeps nothing to resend.
  const isInDoubt = error.outcome === 'unknown' && error.operation !== 'verifyNin';
  // Only a relay speaks of the player: it has an environment of its own, so its errors name none. Elsewhere the error
  // is about your backend, its key and its connection.
  const isRelayed = error.environment === undefined;
  // If the report is in doubt, the gateway may have this very report.
  if (error.code === 'duplicate') return error.conflict && error.outcome !== 'unknown' ? 'conflict' : 'reported-before';
  if (isInDoubt) return status === 401 && isRelayed ? 'in-doubt-logged-out' : isOffline() ? 'offline' : 'in-doubt';
  if (error.code === 'location') {
    // An error of another copy of the package may have no steps.
    const steps = (error.steps ?? []).filter(({ step }) => step === 'browser-geolocation');
    const reasons = steps.map(({ reason }) => reason);
    if (reasons.some((reason) => PAGE_FAULTS.includes(reason))) return 'not-working';
    return reasons.includes('not-available') ? 'location-unavailable' : 'location';
  }
  if (error.code === 'rate-limited') return error.retryAfterMs === undefined ? 'busy' : 'busy-for';
  if (error.code === 'authentication') return status === 401 && isRelayed ? 'logged-out' : 'not-working';
  if (error.code === 'configuration') return 'not-working';
  if (error.code === 'validation') return 'entries';
  if (error.code === 'aborted') return 'cancelled';
  if (error.outcome === 'rejected') return 'refused';
  // An answer proves that the player's connection works. Only a 408 says that the body did not arrive in time.
  const answered = status !== undefined && status !== 408;
  if (error.retryable) return answered || !isRelayed ? 'busy' : 'not-sent';
  return answered ? 'refused' : 'not-working';
}

/** `playerMessage` in English and in the languages of a build, by the first part of their tags. */
export const playerMessageIn =
  (languages: Readonly<Record<string, PlayerMessages>>) =>
  (error: unknown, { locale = 'en', messages = {} }: PlayerMessageOptions = {}): PlayerMessage => {
    const situation = situationOf(error);
    const [language = ''] = locale.toLowerCase().split(/[-_]/);
    const words = (hasOwn(languages, language) && languages[language]) || english;
    const text = (hasOwn(messages, situation) && messages[situation]) || words[situation];
    return {
      situation,
      text: situation === 'busy-for' ? text.replace('{seconds}', secondsOf(error)) : text,
      action: ACTIONS[situation],
      isOver: hasCode(error, 'duplicate'),
    };
  };

const secondsOf = (error: unknown) =>
  String(Math.max(1, Math.ceil(Number(hasCode(error, 'rate-limited') && error.retryAfterMs) / 1_000)));

/**
 * Explains an error to a player: a short text and an action, for every code and outcome, in a page and for an error of
 * your backend. For any other value the text
 * is "This does not work at the moment", or names the connection if the browser is offline. No content of the error
 * makes it throw.
 *
 * @example
 * ```ts
 * const { text, action } = playerMessage(error, { locale: document.documentElement.lang });
 * output.textContent = text;
 * askAgain.hidden = action !== 'ask-again';
 * ```
 */
export const playerMessage: (error: unknown, options?: PlayerMessageOptions) => PlayerMessage =
  /* @__PURE__ */ playerMessageIn({ fr: french });
