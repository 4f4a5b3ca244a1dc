/** Characters that would steer the terminal, or turn the direction of what is read: references and answers come from outside. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');

/** A text on one line, with nothing in it that a terminal obeys. The escapes are those of JSON, so that JSON keeps its meaning. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/** A way back: the characters that `printable` has escaped. */
export const unprintable = (text: string): string =>
  text.replace(/\\u([0-9a-f]{4})/g, (found, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(character) ? character : found;
  });

/** The name of a file within a command to copy. */
export const quoted = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${printable(text).replaceAll("'", "'\\''")}'`);
