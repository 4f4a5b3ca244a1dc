import { WITHOUT_BODY } from '../../core/platform/body.js';

/** How an answer is sent: whole, in pieces over time, cut off in the middle of its body, or not at all. */
type WireMode =
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

const SLOW_PIECES = 8;

/** The pieces of a body. None is empty. */
export function piecesOf(body: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(body);
  const size = Math.max(1, Math.ceil(bytes.byteLength / SLOW_PIECES));
  return Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  );
}

/** The errors of Node.js's `fetch`. The client reads their codes in every runtime; a browser gives no reason at all. */
const brokenConnection = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });

const brokenBody = () =>
  new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) });

type Wait = (milliseconds: number) => Promise<void>;

/** The caller may abort. It throws the errors of `fetch`. */
export function toResponse(
  { status, headers, body, transport }: WireAnswer,
  wait: Wait,
  signal: AbortSignal,
): Response {
  if (transport.kind === 'connection-reset') throw brokenConnection();
  return new Response(bodyOf(status, body, transport, wait, signal), { status, headers: { ...headers } });
}

function bodyOf(
  status: number,
  body: string,
  transport: WireMode,
  wait: Wait,
  signal: AbortSignal,
): ReadableStream | string | null {
  if (WITHOUT_BODY.includes(status) || body === '') return null;
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
