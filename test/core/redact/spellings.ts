const bytesOf = (text: string) => [...Buffer.from(text, 'utf8')];
const digits = (zero: number) => (text: string) =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const between = (separator: string) => (text: string) => [...text].join(separator);

/** Spellings of a sent value in an answer. The source treats none of them specially. */
export const SPELLINGS: readonly [name: string, spell: (text: string) => string][] = [
  ['unchanged', String],
  ['in capitals', (text) => text.toUpperCase()],
  ['as JSON', JSON.stringify],
  ['as base64', (text) => Buffer.from(text).toString('base64')],
  ['as base64url', (text) => Buffer.from(text).toString('base64url')],
  ['as hex', (text) => Buffer.from(text).toString('hex')],
  [
    'as hex with spaces',
    (text) =>
      bytesOf(text)
        .map((byte) => byte.toString(16))
        .join(' '),
  ],
  [
    'as \\xNN',
    (text) =>
      bytesOf(text)
        .map((byte) => `\\x${byte.toString(16)}`)
        .join(''),
  ],
  [
    'in octal',
    (text) =>
      bytesOf(text)
        .map((byte) => `\\${byte.toString(8)}`)
        .join(''),
  ],
  ['as \\u{…}', (text) => [...text].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join('')],
  ['as \\uNNNN', (text) => [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
  ['as entities', (text) => [...text].map((one) => `&#${one.codePointAt(0)};`).join('')],
  [
    'as entities without a semicolon',
    (text) => [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)}`).join(''),
  ],
  [
    'for a URL',
    (text) =>
      bytesOf(text)
        .map((byte) => `%${byte.toString(16)}`)
        .join(''),
  ],
  [
    'as quoted-printable',
    (text) =>
      bytesOf(text)
        .map((byte) => `=${byte.toString(16).toUpperCase()}`)
        .join(''),
  ],
  ['reversed', (text) => [...text].reverse().join('')],
  ['with Arabic digits', digits(0x660)],
  ['with full-width digits', digits(0xff10)],
  ['with mathematical digits', digits(0x1d7ce)],
  ['with spaces between', between(' ')],
  ['with dashes between', between('-')],
  ['with dots between', between('.')],
  ['with commas between', between(', ')],
  ['with invisible spaces between', between('\u200b')],
  ['with words between', between(' and ')],
  [
    'shifted by 13',
    (text) =>
      text.replace(/[a-z]/gi, (one) => String.fromCharCode(((one.toLowerCase().charCodeAt(0) - 97 + 13) % 26) + 97)),
  ],
  ['as its length', (text) => `${text.length}`],
];
