import { expect, it, vi } from 'vitest';
import { readBody, readBytes } from '../../../src/core/platform/body.js';

const PIECE = new Uint8Array(1024 * 1024).fill(32);
const { signal } = new AbortController();

/** An answer of whole pieces of 1 MiB, and then of some bytes. */
function answerOf(pieces: number, more: number): Response {
  let left = pieces;
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (left > 0) controller.enqueue(PIECE);
        else {
          if (more > 0) controller.enqueue(new Uint8Array(more));
          controller.close();
        }
        left -= 1;
      },
    }),
  );
}

it('an answer of 16 MiB is read, and one of a byte more is not', async () => {
  expect((await readBody(answerOf(16, 0), signal))?.length).toBe(16 * 1024 * 1024);
  expect(await readBody(answerOf(16, 1), signal)).toBeUndefined();
});

it('a reader that throws at once when it is cancelled does not break the reading', async () => {
  const reader = {
    read: async () => ({ done: false, value: PIECE }),
    cancel(): Promise<void> {
      throw new TypeError('locked');
    },
  };
  expect(await readBytes(reader, 10)).toBeUndefined();
  const controller = new AbortController();
  const reading = readBytes(
    { ...reader, read: async () => ({ done: controller.signal.aborted }) },
    10,
    controller.signal,
  );
  controller.abort();
  expect(await reading).toHaveLength(0);
});

it('in a page, an answer that is too long is cancelled although its body is locked', async () => {
  vi.stubGlobal('document', {});
  const cancel = vi.fn(async () => {});
  const message = {
    body: {
      getReader() {
        throw new TypeError('locked');
      },
    },
    clone: () => ({
      body: {
        getReader: () => ({
          read: async () => ({ done: false, value: PIECE }),
          cancel,
        }),
      },
    }),
    text: async () => '',
  };
  try {
    expect(await readBody(message as never, signal, 10)).toBeUndefined();
    expect(cancel).toHaveBeenCalled();
  } finally {
    vi.unstubAllGlobals();
  }
});
