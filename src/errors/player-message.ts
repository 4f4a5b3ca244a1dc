import type { LocationStep, ReportingError } from './errors.js';
import { isReportingError } from './guards.js';
import { english, french, type PlayerMessages, type PlayerSituation } from './player-words.js';

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
}

/** The language and the texts of `playerMessage`. */
export interface PlayerMessageOptions {
  /**
   * A language tag, for example `'fr'` or `'fr-CI'`. The package has English and French, the script-tag files English.
   * For any other tag the text is English. Default: `'en'`.
   */
  locale?: string | undefined;
  /** Your own texts, by situation. The package's text is used for a situation that you leave out. Default: none. */
  messages?: Partial<PlayerMessages> | undefined;
}

const ACTIONS: { readonly [Situation in PlayerSituation]: PlayerAction } = {
  'in-doubt': 'ask-again',
  'in-doubt-logged-out': 'log-in',
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
  cancelled: 'wait',
};

/** Reasons why the page never gets a position, even if the player allows it: only its developer can fix them. */
const FAULTS_OF_THE_PAGE = ['insecure-context', 'blocked-by-policy'];

/** The members that only one error class has. */
type AnyError = ReportingError & { readonly conflict?: boolean; readonly retryAfterMs?: number; readonly steps?: readonly LocationStep[] };

function situationOf(error: unknown): PlayerSituation {
  if (!isReportingError(error)) return 'not-working';
  const { code, outcome, status, retryable, conflict, retryAfterMs, steps = [] }: AnyError = error;
  // If the report is in doubt, the gateway may have this very report.
  if (code === 'duplicate') return conflict && outcome !== 'unknown' ? 'conflict' : 'reported-before';
  if (outcome === 'unknown') return status === 401 ? 'in-doubt-logged-out' : 'in-doubt';
  if (code === 'location') {
    const reasons = steps.filter(({ step }) => step === 'browser-geolocation').map(({ reason }) => reason);
    if (reasons.some((reason) => FAULTS_OF_THE_PAGE.includes(reason))) return 'not-working';
    return reasons.includes('not-available') ? 'location-unavailable' : 'location';
  }
  if (code === 'rate-limited') return retryAfterMs === undefined ? 'busy' : 'busy-for';
  if (code === 'authentication') return status === 401 ? 'logged-out' : 'not-working';
  if (code === 'configuration') return 'not-working';
  if (code === 'validation') return 'entries';
  if (code === 'aborted') return 'cancelled';
  if (outcome === 'rejected') return 'refused';
  // An answer proves that the player's connection works. Only a 408 says that the body did not arrive in time.
  const answered = status !== undefined && status !== 408;
  if (retryable) return answered ? 'busy' : 'not-sent';
  return answered ? 'refused' : 'not-working';
}

/** `playerMessage` in English and in the languages of a build, by the first part of their tags. */
export const playerMessageIn =
  (languages: Readonly<Record<string, PlayerMessages>>) =>
  (error: unknown, { locale = 'en', messages = {} }: PlayerMessageOptions = {}): PlayerMessage => {
    const situation = situationOf(error);
    const [language = ''] = locale.toLowerCase().split(/[-_]/);
    const words = (Object.hasOwn(languages, language) && languages[language]) || english;
    const text = (Object.hasOwn(messages, situation) && messages[situation]) || words[situation];
    return { situation, text: situation === 'busy-for' ? text.replace('{seconds}', secondsOf(error)) : text, action: ACTIONS[situation] };
  };

const secondsOf = (error: unknown) => String(Math.max(1, Math.ceil(Number((error as AnyError).retryAfterMs) / 1_000)));

/**
 * Explains an error to a player: a short text and an action, for every code and outcome. For any other value the text
 * is "This does not work at the moment". No content of the error makes it throw.
 *
 * @example
 * ```ts
 * const { text, action } = playerMessage(error, { locale: document.documentElement.lang });
 * output.textContent = text;
 * askAgain.hidden = action !== 'ask-again';
 * ```
 */
export const playerMessage: (error: unknown, options?: PlayerMessageOptions) => PlayerMessage = /* @__PURE__ */ playerMessageIn({ fr: french });
