import type { SentValue } from './schema/sent-values.js';

export const MASK = '[masked]';

const LONGEST_SHOWN = 300;

/**
 * In the script-tag file a text of the gateway's is shown or hidden as a whole: hidden where it repeats a word that was
 * sent, or holds a number or an escape that could be one.
 */
export function maskSent(text: string, values: readonly SentValue[]): string {
  const plain = text.normalize('NFC').toLowerCase();
  const words = values.flatMap((value) => [value.text, ...value.text.split(/[^\p{L}\p{N}]+/u)]).map((word) => word.normalize('NFC').toLowerCase());
  const repeats = words.some((word) => word.length > 2 && plain.includes(word));
  return text.length > LONGEST_SHOWN || repeats || /[0-9]{3}|[\\%&\p{C}]/u.test(text) ? MASK : text;
}
