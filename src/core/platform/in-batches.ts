/** A list of any kind: an array, a generator or a stream. */
export type AnyIterable<T> = Iterable<T> | AsyncIterable<T>;

/** The items in lists of this size. Only the last list may be shorter. */
export async function* inBatches<T>(items: AnyIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
