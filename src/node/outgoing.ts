import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as startTimer } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { isBodyless, piecesOf, type WireAnswer } from '../mock/wire.js';

/** How long the rest of an unread request may take, so that its sender sees the answer and no broken connection. */
const LONGEST_REST_MS = 10_000;
/** How long a sender may pause within it. */
const LONGEST_PAUSE_MS = 1_000;

/** Sends the gateway's answer, with the fault that was set. */
export async function sendAnswer(answer: WireAnswer, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  const { status, headers, body, transport } = answer;
  const { req: incoming } = outgoing;
  const { socket } = incoming;
  if (transport.kind === 'connection-reset') return void socket.resetAndDestroy();
  closeIfUnread(outgoing);
  const bytes = Buffer.from(isBodyless(status) ? '' : body);
  outgoing.writeHead(status, { ...headers, ...(!isBodyless(status) && { 'content-length': bytes.byteLength }) });
  if (transport.kind === 'whole') return end(incoming, outgoing, bytes);

  const pieces = piecesOf(bytes.toString());
  const slow = transport.kind === 'slow-body';
  for (const piece of slow ? pieces : pieces.slice(0, Math.ceil(pieces.length / 2))) {
    if (slow) await setTimeout(transport.milliseconds / pieces.length, undefined, { signal });
    if (outgoing.destroyed) return;
    await new Promise((resolve) => outgoing.write(piece, resolve));
  }
  if (slow) outgoing.end();
  else socket.destroySoon();
}

/** Streams a web answer until it is over or the client disconnects. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const { req: incoming } = outgoing;
  closeIfUnread(outgoing);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (!reader) return end(incoming, outgoing);
  const stop = () => void reader.cancel().catch(() => undefined);
  if (incoming.method === 'HEAD') stop();
  outgoing.once('close', stop);
  outgoing.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return end(incoming, outgoing);
    if (!outgoing.write(value)) await new Promise<void>((resolve) => outgoing.once('drain', resolve).once('close', resolve));
  }
}

/** Ends an answer. If the request is still arriving, its rest is accepted for a while before the connection closes. */
async function end(incoming: IncomingMessage, outgoing: ServerResponse, bytes?: Uint8Array): Promise<void> {
  if (incoming.complete) return void outgoing.end(bytes);
  if (bytes) outgoing.write(bytes);
  outgoing.flushHeaders();
  await restOf(incoming);
  outgoing.end();
}

function closeIfUnread(outgoing: ServerResponse): void {
  if (!outgoing.req.complete) outgoing.setHeader('connection', 'close');
}

/** Discards the rest of a request while it arrives. */
async function restOf(incoming: IncomingMessage): Promise<void> {
  await new Promise<unknown>((resolve) => {
    const pause = startTimer(resolve, LONGEST_PAUSE_MS);
    const whole = startTimer(resolve, LONGEST_REST_MS);
    const over = () => {
      clearTimeout(pause);
      clearTimeout(whole);
      resolve(undefined);
    };
    incoming
      .on('data', () => pause.refresh())
      .once('end', over)
      .once('close', over);
  });
}
