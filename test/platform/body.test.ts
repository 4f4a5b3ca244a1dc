import { expect, it } from 'vitest';
import { readBody } from '../../src/platform/body.js';

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
