import { isBrowser } from './runtime.js';
import type { FetchResponse } from './web-types.js';

/** Enough for a verified identity with its biometric images. A longer answer is not read to its end. */
export const LONGEST_BODY = 16 * 1024 * 1024;

const READS_WITHOUT_PAUSE = 1_024;

interface StreamReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** The statuses whose answers have no body. */
export const WITHOUT_BODY: readonly number[] = [204, 205, 304];
/** Headers that servers add on the way. A `Response` made by a test has none of them. */
const SERVER_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'server', 'via'];

/**
 * Whether status and headers prove that a body was read to the end: the status allows no body, or the length is given,
 * which every transport compares. The length of a compressed body proves nothing, since a proxy may give that of a
 * part.
 */
export const isLengthKnown = (status: number, header: (name: string) => string | null): boolean =>
  WITHOUT_BODY.includes(status) ||
  (header('content-length') !== null && header('transfer-encoding') === null && header('content-encoding') === null);

/**
 * Whether an answer of a `fetch` proves that its body was read to the end, or was made in this process. Otherwise the
 * end of the connection may be the only sign of its end: some runtimes' `fetch` takes a chunked body that broke off for
 * a complete one.
 */
export const isMeasured = ({ status, headers, type = 'default' }: FetchResponse): boolean =>
  isLengthKnown(status, (name) => headers.get(name)) ||
  (type === 'default' && SERVER_HEADERS.every((name) => headers.get(name) === null));

let decoder: TextDecoder | undefined;

/**
 * The decoder is made at the first use, since React Native and jsdom have none, and kept, since making one costs more
 * than the rest of an answer's reading.
 */
export function decodeText(bytes: Uint8Array): string {
  decoder ??= new TextDecoder();
  return decoder.decode(bytes);
}

/** Shared, since making an empty array costs more than keeping the only piece of an answer. */
const NO_BYTES = new Uint8Array();

/** Copies pieces into one block that grows: a million small pieces must not cost more than their bytes. */
export function collectBytes() {
  let block: Uint8Array = NO_BYTES;
  let length = 0;
  return {
    add(piece: Uint8Array): void {
      const needed = length + piece.byteLength;
      // Usually it is the only one.
      if (length === 0) block = piece;
      else {
        if (needed > block.byteLength) {
          const larger = new Uint8Array(2 * needed);
          larger.set(block);
          block = larger;
        }
        block.set(piece, length);
      }
      length = needed;
    },
    whole: (): Uint8Array => block.subarray(0, length),
  };
}

/** At most `limit` bytes. Undefined if there are more. */
export async function readBytes(
  reader: StreamReader,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  // In an async function, since a foreign reader may throw at once.
  const cancel = () => void (async () => reader.cancel())().catch(() => {});
  // A body that comes after its time is not read.
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel);
  try {
    const collected = collectBytes();
    let bytes = 0;
    for (let reads = 1; ; reads += 1) {
      // A stream that always has data ready must not block the timers.
      if (reads % READS_WITHOUT_PAUSE === 0) await new Promise((resolve) => setTimeout(resolve));
      const { done, value } = await reader.read();
      if (done) return collected.whole();
      if (!value) continue;
      bytes += value.byteLength;
      if (bytes > limit) {
        cancel();
        return undefined;
      }
      collected.add(value);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

interface Message extends Pick<FetchResponse, 'body' | 'text'> {
  clone?(): { readonly body?: unknown };
}

const readerOf = (body: unknown): StreamReader | undefined =>
  (body as { getReader?: () => StreamReader } | null | undefined)?.getReader?.();

/**
 * In a page a clone is read: if a page reads an answer with `cache-control: no-store` itself, Chromium shows the
 * request as failed (`net::ERR_ABORTED`) although the answer is complete. The unread body holds at most the bytes that
 * are read.
 */
function openBody(message: Message): StreamReader | undefined {
  if (!message.body || !message.clone || !isBrowser()) return readerOf(message.body);
  const reader = readerOf(message.clone().body);
  return (
    reader && {
      read: () => reader.read(),
      // The download ends when both are cancelled. Another program of the page may be reading the body itself.
      cancel: async () => {
        await Promise.all([() => reader, () => readerOf(message.body)].map(async (open) => open()?.cancel()));
      },
    }
  );
}

/** At most `limit` bytes. Undefined if there are more. */
export async function readBody(
  message: Message,
  signal: AbortSignal | undefined,
  limit = LONGEST_BODY,
): Promise<string | undefined> {
  const reader = openBody(message);
  if (!reader) {
    const text = await message.text();
    return text.length > limit ? undefined : text;
  }
  const bytes = await readBytes(reader, limit, signal);
  return bytes && decodeText(bytes);
}
