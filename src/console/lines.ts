/**
 * A stream of JSON lines, made as fast as it is read. `describe` says what the last line is where making them fails; the status of
 * the answer was sent by then.
 */
export function toLines(items: AsyncIterable<unknown>, describe: (error: unknown) => unknown): ReadableStream<Uint8Array> {
  const iterator = items[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const lineOf = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (done) controller.close();
          else controller.enqueue(lineOf(value));
        } catch (error) {
          controller.enqueue(lineOf(describe(error)));
          controller.close();
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
