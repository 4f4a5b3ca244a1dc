import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { sendResponse } from '../../../src/http/node/http.js';
import { listening } from '../../support/listen.js';

/** The address of a server that answers every request with one answer. */
async function answering(make: () => Response): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer((_, outgoing) => void sendResponse(make(), outgoing)))}`;
}

/** A stream that never ends, and a record of what happened to it. */
function endless() {
  let ended: (reason: string) => void = () => undefined;
  let push: (text: string) => void = () => undefined;
  const cancelled = new Promise<string>((resolve) => {
    ended = resolve;
  });
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
    cancel: () => ended('cancelled'),
  });
  const response = () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  return { response, push: (text: string) => push(text), cancelled };
}

test('each piece is sent when it comes, and the source is cancelled when the client disconnects', async () => {
  const { response, push, cancelled } = endless();
  const listening = new AbortController();
  const answer = await fetch(await answering(response), { signal: listening.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
    push(text);
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(text);
  }
  listening.abort();
  expect(await cancelled).toBe('cancelled');
});

test('HEAD gets the headers of a stream and ends', async () => {
  const { response, cancelled } = endless();
  const answer = await fetch(await answering(response), { method: 'HEAD' });
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/event-stream', '']);
  expect(await cancelled).toBe('cancelled');
});

test('a large answer arrives completely', async () => {
  const text = 'x'.repeat(20 * 1024 * 1024);
  const answer = await fetch(await answering(() => new Response(text)));
  expect((await answer.text()) === text).toBe(true);
});

test('an answer without a body has none', async () => {
  const answer = await fetch(await answering(() => new Response(null, { status: 204 })));
  expect([answer.status, await answer.text()]).toEqual([204, '']);
});
