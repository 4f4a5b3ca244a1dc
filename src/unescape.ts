const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const character = (hexadecimal: string) => String.fromCharCode(Number.parseInt(hexadecimal, 16));

function decodeBytes(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replace(/%(..)/g, (_all, byte: string) => character(byte));
  }
}

const DECODERS: readonly (readonly [escaped: RegExp, decode: (all: string, inner: string) => string])[] = [
  [/\\(["\\/])/g, (_all, inner) => inner],
  [/\\u([0-9a-f]{4})/gi, (_all, code) => character(code)],
  [/\\[bfnrt]/gi, () => ' '],
  [/(?:%[0-9a-f]{2})+/gi, decodeBytes],
  [/&#([0-9]{1,6});/g, (_all, code) => String.fromCodePoint(Number(code))],
  [/&#x([0-9a-f]{1,5});/gi, (_all, code) => String.fromCodePoint(Number.parseInt(code, 16))],
  [/&(amp|lt|gt|quot|apos);/gi, (all, name) => ENTITIES[name.toLowerCase()] ?? all],
];

/** What every escape begins with. */
const ESCAPE = /[\\%&]/;

/** Nobody escapes a text more often than this without meaning harm. */
const MOST_ROUNDS = 4;

/** The text behind the escapes of JSON, URLs and HTML, also where one stands within the other; recomposed. */
export function unescapeText(text: string): string {
  if (!ESCAPE.test(text)) return text.normalize('NFC');
  let before = '';
  let now = text;
  for (let round = 0; round < MOST_ROUNDS && now !== before; round += 1) {
    before = now;
    now = DECODERS.reduce((shown, [escaped, decode]) => shown.replace(escaped, decode), now);
  }
  return now.normalize('NFC');
}
