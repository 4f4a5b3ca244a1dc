import type { FetchResponse } from './web-types.js';

/** Enough for a verified identity with its biometric images. A longer answer is not read to its end. */
export const LONGEST_BODY = 16 * 1024 * 1024;

const READS_WITHOUT_PAUSE = 1_024;

interface StreamReader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>;
  cancel(): Promise<void>;
}

/** The statuses whose answers have no body. */
export const WITHOUT_BODY: readonly number[] = [204, 205, 304];
/** Headers that servers add on the way. A `Response` made by a test has none of them. */
const OF_THE_WAY = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'server', 'via'];

/**
 * Whether status and headers prove that a body was read to the end: the status allows no body, or the length is given,
 * which every transport compares. The length of a compressed body proves nothing, since a proxy may give that of a
 * part.
 */
export const isLengthKnown = (status: number, header: (name: string) => string | null): boolean =>
  WITHOUT_BODY.includes(status) || (header('content-length') !== null && header('transfer-encoding') === null && header('content-encoding') === null);

/**
 * Whether an answer of a `fetch` proves that its body was read to the end, or was made in this process. Otherwise the
 * end of the connection may be the only sign of its end: some runtimes' `fetch` takes a chunked body that broke off for
 * a complete one.
 */
export const isMeasured = ({ status, headers, type = 'default' }: FetchResponse): boolean =>
  isLengthKnown(status, (name) => headers.get(name)) || (type === 'default' && OF_THE_WAY.every((name) => headers.get(name) === null));

const decoder = new TextDecoder();

/** A copy of a block with at least double its size: many small pieces must not cost more than their bytes. */
function grow(block: Uint8Array, bytes: number): Uint8Array {
  const larger = new Uint8Array(2 * bytes);
  larger.set(block);
  return larger;
}

/** Reads a body as text, at most `limit` bytes of it. Undefined if there is more. */
export async function readBody(response: FetchResponse, signal: AbortSignal, limit = LONGEST_BODY): Promise<string | undefined> {
  const reader = (response.body as { getReader?: () => StreamReader } | null | undefined)?.getReader?.();
  if (!reader) {
    const text = await response.text();
    return text.length > limit ? undefined : text;
  }
  const cancel = () => void reader.cancel().catch(() => undefined);
  // An answer that comes after its time is not read.
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  try {
    let block: Uint8Array = new Uint8Array();
    let bytes = 0;
    for (let reads = 1; ; reads += 1) {
      // A stream that always has data ready must not block the timers.
      if (reads % READS_WITHOUT_PAUSE === 0) await new Promise((resolve) => setTimeout(resolve));
      const { done, value } = await reader.read();
      // Decoded at once: making a decoder for one answer costs more than the rest of its reading.
      if (done) return decoder.decode(block.subarray(0, bytes));
      if (!value) continue;
      const before = bytes;
      bytes += value.byteLength;
      if (bytes > limit) {
        cancel();
        return undefined;
      }
      if (before === 0) block = value;
      else {
        if (bytes > block.byteLength) block = grow(block, bytes);
        block.set(value, before);
      }
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
