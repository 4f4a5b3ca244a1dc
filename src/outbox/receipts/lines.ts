/** A list of any kind: an array, a generator or a stream. */
export type AnyIterable<T> = Iterable<T> | AsyncIterable<T>;

/** The longest line of a log. A longer text is not a line of a log, and must not fill the memory. */
const LONGEST_LINE = 1_000_000;

export class LongLineError extends Error {}

/**
 * The lines of a text in pieces, such as the stream of a file. A piece that is a complete entry also counts as a line, so that
 * lists of lines work, too. A cut character becomes the replacement character.
 */
export async function* linesOf(text: string | AnyIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let ended = false;
  for await (const piece of typeof text === 'string' ? [text] : text) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    // The line break of the entry that was just returned without it.
    if (ended && rest.startsWith('\n')) rest = rest.slice(1);
    if (rest === '') continue;
    ended = false;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.endsWith('}') && isWhole(rest)) {
      yield rest;
      rest = '';
      ended = true;
    }
    if (rest.length > LONGEST_LINE) throw new LongLineError();
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Whether a text is complete JSON. A part of an object is not, since its last brace is missing. */
function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
