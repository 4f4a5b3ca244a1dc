import { asRecord } from '../platform/as-record.js';
import { hasOwn } from '../platform/portable.js';
import { isBrowser } from '../platform/runtime.js';
import { unlessThrown } from '../platform/unless-thrown.js';
import { hasCode, isReportingError } from './errors.js';
import french from './player-messages/fr.json' with { type: 'json' };
import { isStoreError } from './store-error.js';

/** Texts of their own, since `postOnce` in a bundle needs no others. */
export const postedTexts = {
  recorded: 'This went through.',
  refused: 'This was refused. Contact support.',
  'in-doubt': 'We do not know yet whether this went through. Ask again: it cannot count twice.',
  'logged-out': 'You are logged out. Log in, and try again.',
};

/** The texts for a player in English, by situation. `{seconds}` is replaced. */
export const english = {
  ...postedTexts,
  accepted: 'This went through.',
  waiting: 'One moment, please.',
  asking: 'Your device asks for your location. Answer it.',
  'in-doubt-logged-out': 'We do not know yet whether this went through, and you are logged out. Log in, and ask again.',
  offline: 'You are offline. Connect to the internet, and ask again: it cannot count twice.',
  location: 'We could not tell where you are. Allow the use of your location, and try again.',
  'location-unavailable': 'We cannot tell where you are on this device. Try another one, or contact support.',
  busy: 'The service is busy. Try again in a minute.',
  'busy-for': 'The service is busy. Try again in {seconds} s.',
  'reported-before': 'We have received this before. If you cannot find it in your history, contact support.',
  conflict: 'This was recorded with other details. Contact support.',
  entries: 'Something is wrong with this entry. Correct it, or contact support.',
  'not-working': 'This does not work at the moment. Contact support.',
  'not-sent': 'Check your connection, and try again.',
  'not-stored': 'Your browser could not save this. Allow this site to store data, and try again.',
  cancelled: 'This was cancelled. You can try again.',
};

/** A situation of a player who reports. */
export type PlayerSituation = keyof typeof english;

/** The texts for a player, by situation. `{seconds}` is replaced in `'busy-for'`. */
type PlayerMessages = { readonly [Situation in PlayerSituation]: string };

/** The action for the page's button. */
export type PlayerAction =
  /** Allow the use of the location, then send the same event again. */
  | 'allow-location'
  /**
   * Ask the same again: through a relay the same event, else `client.resend(error)`. A bet that your backend may have
   * placed: with the same key.
   */
  | 'ask-again'
  /** Log in, then send the same event again. */
  | 'log-in'
  /** Send the same event again, after a moment or after `error.retryAfterMs`. */
  | 'wait'
  /** No button helps. The text names the support. */
  | 'contact-support'
  /** Nothing is to be done. */
  | 'none';

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

/** In any other situation the player can only contact the support. */
const ACTIONS: { readonly [Situation in PlayerSituation]?: PlayerAction } = {
  recorded: 'none',
  accepted: 'none',
  waiting: 'none',
  asking: 'allow-location',
  'in-doubt': 'ask-again',
  'in-doubt-logged-out': 'log-in',
  offline: 'ask-again',
  location: 'allow-location',
  busy: 'wait',
  'busy-for': 'wait',
  'logged-out': 'log-in',
  'not-sent': 'wait',
  'not-stored': 'wait',
  cancelled: 'wait',
};

/** Reasons why the page never gets a position, even if the player allows it: only its developer can fix them. */
const PAGE_FAULTS = ['insecure-context', 'blocked-by-policy'];

/** Whether the browser knows that it has no network. It may be wrong about having one. */
const isOffline = (): boolean => (globalThis as { navigator?: { onLine?: unknown } }).navigator?.onLine === false;

const isNotStored = (error: unknown): boolean => isStoreError(error) && isBrowser();

function situationOf(error: unknown): PlayerSituation {
  if (typeof error === 'string' && hasOwn(english, error)) return error as PlayerSituation;
  const outcome = unlessThrown(() => asRecord(error).outcome);
  if (outcome === 'already-recorded') return 'recorded';
  if (outcome === 'recorded' || outcome === 'accepted') return outcome;
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
  (result: unknown, { locale = 'en', messages = {} }: PlayerMessageOptions = {}): PlayerMessage => {
    const situation = situationOf(result);
    const [language = ''] = locale.toLowerCase().split(/[-_]/);
    const words = (hasOwn(languages, language) && languages[language]) || english;
    const text = (hasOwn(messages, situation) && messages[situation]) || words[situation];
    return {
      situation,
      text: situation === 'busy-for' ? text.replace('{seconds}', secondsOf(result)) : text,
      action: ACTIONS[situation] ?? 'contact-support',
      isOver: situation === 'recorded' || situation === 'accepted' || hasCode(result, 'duplicate'),
    };
  };

const secondsOf = (error: unknown) =>
  String(Math.max(1, Math.ceil(Number(hasCode(error, 'rate-limited') && error.retryAfterMs) / 1_000)));

/**
 * Explains to a player, in a short text and an action, what became of a report: its error, in a page and of your
 * backend, or its receipt. Or give the name of a situation, such as `'waiting'`. For any other value the text is "This
 * does not work at the moment", or names the connection if the browser is offline. No content makes it throw.
 *
 * @example
 * ```ts
 * output.textContent = playerMessage('waiting').text;
 * const result = await client.reportBetEvent({ bet_id }).catch((error) => error);
 * const { text, isOver } = playerMessage(result, { locale: document.documentElement.lang });
 * output.textContent = text;
 * ```
 */
export const playerMessage: (result: unknown, options?: PlayerMessageOptions) => PlayerMessage =
  /* @__PURE__ */ playerMessageIn({ fr: french });
