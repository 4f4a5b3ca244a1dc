import { unlessThrown } from '../platform/unless-thrown.js';
import { REQUEST_ID_HEADERS } from '../protocol/headers.js';
import { fold, holdsPiece, KEY_PIECE } from '../redact/redact.js';
import type { SentValue } from '../schema/sent.js';
import type { GatewayContext } from './masking.js';
import type { Answered } from './transport.js';

/** Whether a value is an id. Any other text could contain any data, and is not kept. */
export const isId = (value: unknown): value is string => typeof value === 'string' && /^[\w.:/+=-]{1,128}$/.test(value);
/** A random id, for example a UUID. It could still contain a personal number of many digits. */
const RANDOM = /^[\da-f-]{32,55}$/;
const MANY_DIGITS = /\d{10}/;
/**
 * The characters of a key's part inside an id. Few keys have them, and searching for them costs more than all the rest.
 */
const HEXADECIMAL = /[\da-fA-F-]{6}/;
/** A word of this length is found within a longer one. */
const LONG_WORD = 4;
/** The lengths of a UUID's first group and of its longest one. */
const LONG_PART = 8;
const LONGEST_GROUP = 12;

/** Undefined if the gateway or relay gave none, or if it repeats a sent value. */
export function requestIdOf(
  answered: Pick<Answered, 'header'>,
  { report, values }: Pick<GatewayContext, 'report' | 'values'>,
  secrets: ReadonlySet<string>,
): string | undefined {
  // A transport that throws here must not lose the result of the report.
  return unlessThrown(() => {
    for (const name of REQUEST_ID_HEADERS) {
      const id = answered.header(name);
      // A header behind the one with the id is not asked for, since that could throw.
      if (isId(id)) return repeatsSent(id, report.body, values, secrets) ? undefined : id;
    }
    return undefined;
  });
}

function repeatsSent(
  id: string,
  body: string,
  values: () => readonly SentValue[],
  secrets: ReadonlySet<string>,
): boolean {
  const lower = id.toLowerCase();
  const isRandom = RANDOM.test(lower) && !MANY_DIGITS.test(lower) && !mayRepeat(body, lower);
  const mayHold = (secret: string) => !isRandom || secret.length < KEY_PIECE || HEXADECIMAL.test(secret);
  return (
    [...secrets].some((secret) => mayHold(secret) && holdsKey(lower, secret.toLowerCase())) ||
    (!isRandom && holdsWord(lower, values()))
  );
}

/** The groups of digits of a UUID that no report contains by chance. */
const GROUPS = /[\da-f]{8,}/g;

/** Whether the report may contain this UUID, with hyphens or without: the id of a player may also be a UUID. */
function mayRepeat(body: string, id: string): boolean {
  const holds = (digits: string) => body.includes(digits) || body.includes(digits.toUpperCase());
  // Without hyphens, other digits may precede it.
  return (id.match(GROUPS) ?? []).some(
    (group) => holds(group.slice(0, LONG_PART)) || (group.length > LONGEST_GROUP && holds(group.slice(-LONG_PART))),
  );
}

const holdsKey = (id: string, key: string): boolean =>
  key.length < KEY_PIECE ? id.includes(key) : holdsPiece(id, key);

function holdsWord(id: string, values: readonly SentValue[]): boolean {
  const personal = values.flatMap(({ text, kind }) => (kind === 'personal' ? [fold(text)] : []));
  if (personal.some((text) => text.length > 2 && id.includes(text))) return true;
  const words: readonly string[] = id.match(/[a-z0-9]+/g) ?? [];
  const all = words.join('');
  const sent: readonly string[] = personal.join(' ').match(/[a-z0-9]+/g) ?? [];
  return sent.some((word) => (word.length >= LONG_WORD ? all.includes(word) : word.length > 1 && words.includes(word)));
}
