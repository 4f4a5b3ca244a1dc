import { unlessThrown } from '../platform/unless-thrown.js';
import { REQUEST_ID_HEADERS } from '../protocol/headers.js';
import { fold, holdsPiece, KEY_PIECE } from '../redact/redact.js';
import type { SentValue } from '../schema/sent.js';
import type { Answered } from './transport.js';

/** Whether a value is an id. Any other text could contain any data, and is not kept. */
export const isId = (value: unknown): value is string => typeof value === 'string' && /^[\w.:/+=-]{1,128}$/.test(value);
/** A word of this length is found within a longer one. */
const LONG_WORD = 4;

/** The id that the gateway or relay gave the request. Undefined if it gave none, or if it repeats a sent value. */
export function requestIdOf(
  answered: Pick<Answered, 'header'>,
  values: () => readonly SentValue[],
): string | undefined {
  // A transport that throws here must not lose the result of the report.
  return unlessThrown(() => {
    for (const name of REQUEST_ID_HEADERS) {
      const id = answered.header(name);
      // A header behind the one with the id is not asked for, since that could throw.
      if (isId(id)) return repeatsSent(id.toLowerCase(), values()) ? undefined : id;
    }
    return undefined;
  });
}

/** Whether an id repeats a secret, or a personal value of the report. */
function repeatsSent(id: string, values: readonly SentValue[]): boolean {
  const textsOf = (wanted: SentValue['kind']) => values.flatMap(({ text, kind }) => (kind === wanted ? [text] : []));
  return (
    textsOf('secret').some((secret) => holdsKey(id, secret.toLowerCase())) ||
    holdsWord(id, textsOf('personal').map(fold))
  );
}

const holdsKey = (id: string, key: string): boolean =>
  key.length < KEY_PIECE ? id.includes(key) : holdsPiece(id, key);

function holdsWord(id: string, personal: readonly string[]): boolean {
  if (personal.some((text) => text.length > 2 && id.includes(text))) return true;
  const words: readonly string[] = id.match(/[a-z0-9]+/g) ?? [];
  // The id of a player may be a UUID, which the gateway repeats without its hyphens.
  const all = words.join('');
  const sent: readonly string[] = personal.join(' ').match(/[a-z0-9]+/g) ?? [];
  return sent.some((word) => (word.length >= LONG_WORD ? all.includes(word) : word.length > 1 && words.includes(word)));
}
