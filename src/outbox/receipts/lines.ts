/** An array, a generator, a stream. */
export type AnyIterable<T> = Iterable<T> | AsyncIterable<T>;

/** No line of the log is longer; whatever is, is no line of it, and is not held in memory. */
const LONGEST_LINE = 1_000_000;

export class LongLineError extends Error {}

/**
 * The lines of a text that comes in pieces, such as a file's stream gives; a piece that is a whole entry by itself is a
 * line too, so that lists of lines will do. A cut character becomes one that stands for what is wrong.
 */
export async function* linesOf(text: string | AnyIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let ended = false;
  for await (const piece of typeof text === 'string' ? [text] : text) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    // The break of a line that was taken without it.
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

/** A beginning of an object never is one: its last brace is missing. */
function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
