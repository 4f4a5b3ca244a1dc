import type { FetchResponse } from './web-types.js';

/** Room for a verified identity with its biometric images; an answer beyond it is not read to its end. */
export const LONGEST_BODY = 16 * 1024 * 1024;

const READS_WITHOUT_PAUSE = 1_024;

interface StreamReader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>;
  cancel(): Promise<void>;
}

const WITHOUT_BODY: readonly number[] = [204, 205];

/**
 * Whether an answer of success over HTTP/1 has neither a body nor a word on how long it is: then the end of the connection is
 * the end of the body, and one that broke off before the first byte looks the same.
 */
export const isWithoutEnd = ({ status, headers }: Pick<FetchResponse, 'status' | 'headers'>, text: string): boolean =>
  status >= 200 &&
  status < 300 &&
  !WITHOUT_BODY.includes(status) &&
  text.trim() === '' &&
  headers.get('content-length') === null &&
  headers.get('transfer-encoding') === null;

/** What such an answer is to its reader: one that broke off. */
export const withoutEnd = (): Error => Object.assign(new Error('the answer has no body and no length'), { code: 'ANSWER_WITHOUT_END', syscall: 'read' });

/** Reads a body as text, at most `limit` bytes of it; undefined where there is more. */
export async function readBody(response: FetchResponse, signal: AbortSignal, limit = LONGEST_BODY): Promise<string | undefined> {
  const reader = (response.body as { getReader?: () => StreamReader } | null | undefined)?.getReader?.();
  if (!reader) {
    const text = await response.text();
    return text.length > limit ? undefined : text;
  }
  const decoder = new TextDecoder();
  const cancel = () => void reader.cancel().catch(() => undefined);
  // An answer that comes after its time is not read.
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  try {
    let text = '';
    let bytes = 0;
    for (let reads = 1; ; reads += 1) {
      // A stream that always has something ready must not keep the timers from running.
      if (reads % READS_WITHOUT_PAUSE === 0) await new Promise((resolve) => setTimeout(resolve));
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value?.byteLength ?? 0;
      if (bytes > limit) {
        cancel();
        return undefined;
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
