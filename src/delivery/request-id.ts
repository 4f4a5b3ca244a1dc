import { REQUEST_ID_HEADERS } from '../protocol/request-id-headers.js';
import { holdsPiece, KEY_PIECE } from '../redact/holds-piece.js';
import { fold } from '../redact/redact.js';
import type { SentValue } from '../schema/sent-values.js';
import type { Answered } from './transport.js';
import type { CallContext } from './verdict.js';

/** Whether a value is an id. Any other text could hold anything, and is not kept. */
export const isId = (value: unknown): value is string => typeof value === 'string' && /^[\w.:/+=-]{1,128}$/.test(value);
/** An id made by chance, such as a UUID. A personal number of many digits could still be in it. */
const RANDOM = /^[\da-f-]{32,55}$/;
const MANY_DIGITS = /\d{10}/;
/** What a piece of a key consists of that stands in such an id; few keys have one, and the search for it costs more than all the rest. */
const HEXADECIMAL = /[\da-fA-F-]{6}/;
/** A word of this length is recognised within a longer one. */
const LONG_WORD = 4;
/** Of a UUID: its first group, and its longest one. */
const LONG_PART = 8;
const LONGEST_GROUP = 12;

/** The id that the other side gave to the request; undefined where it gave none, or one that repeats a value which was sent. */
export function requestIdOf(
  answered: Pick<Answered, 'header'>,
  { report, values }: Pick<CallContext, 'report' | 'values'>,
  secrets: ReadonlySet<string>,
): string | undefined {
  try {
    for (const name of REQUEST_ID_HEADERS) {
      const id = answered.header(name);
      if (!isId(id)) continue;
      const lower = id.toLowerCase();
      const isRandom = RANDOM.test(lower) && !MANY_DIGITS.test(lower) && !mayRepeat(report.body, lower);
      const mayHold = (secret: string) => !isRandom || secret.length < KEY_PIECE || HEXADECIMAL.test(secret);
      const repeats = [...secrets].some((secret) => mayHold(secret) && holdsKey(lower, secret.toLowerCase())) || (!isRandom && holdsWord(lower, values()));
      return repeats ? undefined : id;
    }
  } catch {
    // A transport that throws here must not cost what is known of the report.
    return undefined;
  }
  return undefined;
}

/** The groups of digits of such an id that no report holds by chance. */
const GROUPS = /[\da-f]{8,}/g;

/** Whether the report may hold such an id, with hyphens or without: the id of a player may be a UUID, too. */
function mayRepeat(body: string, id: string): boolean {
  const holds = (digits: string) => body.includes(digits) || body.includes(digits.toUpperCase());
  // Without hyphens, something may stand before it.
  return (id.match(GROUPS) ?? []).some((group) => holds(group.slice(0, LONG_PART)) || (group.length > LONGEST_GROUP && holds(group.slice(-LONG_PART))));
}

const holdsKey = (id: string, key: string): boolean => (key.length < KEY_PIECE ? id.includes(key) : holdsPiece(id, key));

function holdsWord(id: string, values: readonly SentValue[]): boolean {
  const personal = values.flatMap(({ text, kind }) => (kind === 'personal' ? [fold(text)] : []));
  if (personal.some((text) => text.length > 2 && id.includes(text))) return true;
  const words: readonly string[] = id.match(/[a-z0-9]+/g) ?? [];
  const all = words.join('');
  const sent: readonly string[] = personal.join(' ').match(/[a-z0-9]+/g) ?? [];
  return sent.some((word) => (word.length >= LONG_WORD ? all.includes(word) : word.length > 1 && words.includes(word)));
}
