import { isBrowser } from '../platform/runtime.js';

/** How an answer is sent: whole, in pieces over time, cut off in the middle of its body, or not at all. */
export type WireMode =
  | {
      /** The form of sending. */
      kind: 'whole' | 'half-body' | 'connection-reset';
    }
  | {
      /** In pieces, over time. */
      kind: 'slow-body';
      /** The duration of the body, in milliseconds. */
      milliseconds: number;
    };

/** An answer, for a server that sends it. */
export interface WireAnswer {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Headers by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer, as text. */
  readonly body: string;
  /** How it is sent: whole, slowly, in part, or not at all. */
  readonly transport: WireMode;
}

/** The number of pieces of a slow body. */
export const SLOW_PIECES = 8;

/** The pieces of a body. None is empty. */
export function piecesOf(body: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(body);
  const size = Math.max(1, Math.ceil(bytes.byteLength / SLOW_PIECES));
  return Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size));
}

type Runtime = 'browser' | 'bun' | 'deno' | 'node';

function runtime(): Runtime {
  const scope = globalThis as { Bun?: unknown; Deno?: unknown };
  if (scope.Bun !== undefined) return 'bun';
  if (scope.Deno !== undefined) return 'deno';
  return isBrowser() ? 'browser' : 'node';
}

const closedInBun = () => Object.assign(new TypeError('ECONNRESET: The socket connection was closed unexpectedly.'), { code: 'ECONNRESET' });

/** The error of `fetch` when a connection breaks without an answer, as seen in each runtime. */
const BROKEN_CONNECTION: Readonly<Record<Runtime, () => Error>> = {
  browser: () => new TypeError('Failed to fetch'),
  bun: closedInBun,
  deno: () => new TypeError('fetch failed', { cause: new Error('Connection reset by peer (os error 104)') }),
  node: () => new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) }),
};

/** The error of reading a body when the connection breaks in the middle, as seen in each runtime. */
const BROKEN_BODY: Readonly<Record<Runtime, () => Error>> = {
  browser: () => new TypeError('network error'),
  bun: closedInBun,
  deno: () => new TypeError('error reading a body from connection'),
  node: () => new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }),
};

const brokenBody = () => BROKEN_BODY[runtime()]();

type Wait = (milliseconds: number) => Promise<void>;

/** The answer in the form of `fetch`. The caller may abort. It throws the same errors as `fetch`. */
export function toResponse({ status, headers, body, transport }: WireAnswer, wait: Wait, signal: AbortSignal): Response {
  if (transport.kind === 'connection-reset') throw BROKEN_CONNECTION[runtime()]();
  return new Response(bodyOf(status, body, transport, wait, signal), { status, headers: { ...headers } });
}

/** Whether an answer of this status ends with its headers. */
export const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304;

function bodyOf(status: number, body: string, transport: WireMode, wait: Wait, signal: AbortSignal): ReadableStream | string | null {
  if (isBodyless(status) || body === '') return null;
  if (transport.kind === 'whole') return body;
  const pieces = piecesOf(body);
  const slow = transport.kind === 'slow-body';
  const sent = slow ? pieces.length : Math.ceil(pieces.length / 2);
  let next = 0;
  return new ReadableStream<Uint8Array>({
    start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason), { once: true }),
    async pull(controller) {
      if (transport.kind === 'slow-body' && next < sent) await wait(transport.milliseconds / pieces.length);
      if (signal.aborted) return;
      const piece = next < sent ? pieces[next] : undefined;
      next += 1;
      if (piece) controller.enqueue(piece);
      else if (slow) controller.close();
      else controller.error(brokenBody());
    },
  });
}
