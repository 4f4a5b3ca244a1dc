import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, Failure } from '../../output.js';

/** Two lines that seem to have the same reference. */
export interface Repeat {
  readonly line: number;
  readonly first: number;
}

interface Bucket {
  buffer: Buffer;
  length: number;
  /** The positions of its full buffers in the file. */
  readonly chunks: number[];
}

const BUCKETS = 256;
const [KEY_BYTES, LINE_BYTES] = [6, 6];
const ENTRY_BYTES = KEY_BYTES + LINE_BYTES;
const CHUNK_BYTES = ENTRY_BYTES * 1_024;

/** A fast hash of 48 bits. Two texts rarely have the same one. */
function keyOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (high & 0xffff) * 2 ** 32 + (low >>> 0);
}

/**
 * Finds the references that a file seems to contain twice. The used memory does not grow with the file: the hash of a reference and its
 * line number go into one of 256 buckets, and full buckets go to a temporary file. Then one bucket is read after the other.
 */
export function createRepeats() {
  const buckets = Array.from({ length: BUCKETS }, (): Bucket => ({ buffer: Buffer.alloc(0), length: 0, chunks: [] }));
  let file: { readonly descriptor: number; readonly folder: string; length: number } | undefined;

  function openFile() {
    const folder = mkdtempSync(join(tmpdir(), 'location-sdk-import-'));
    return { descriptor: openSync(join(folder, 'references'), 'wx+', 0o600), folder, length: 0 };
  }

  function flush(bucket: Bucket): void {
    try {
      file ??= openFile();
      writeSync(file.descriptor, bucket.buffer, 0, CHUNK_BYTES, file.length);
    } catch (error) {
      throw new Failure(
        `a temporary file in ${tmpdir()} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}). Nothing was enqueued`,
        EXIT.failed,
      );
    }
    bucket.chunks.push(file.length);
    bucket.length = 0;
    file.length += CHUNK_BYTES;
  }

  function* entriesOf({ buffer, length, chunks }: Bucket): Generator<readonly [key: number, line: number]> {
    function* within(entries: Buffer): Generator<readonly [key: number, line: number]> {
      for (let at = 0; at < entries.length; at += ENTRY_BYTES) yield [entries.readUIntBE(at, KEY_BYTES), entries.readUIntBE(at + KEY_BYTES, LINE_BYTES)];
    }
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (const position of chunks) {
      if (file) readSync(file.descriptor, chunk, 0, CHUNK_BYTES, position);
      yield* within(chunk);
    }
    yield* within(buffer.subarray(0, length));
  }

  return {
    /** Notes the reference of a line. */
    add(reference: string, line: number): void {
      const key = keyOf(reference);
      const bucket = buckets[key % BUCKETS];
      if (!bucket) return;
      if (bucket.buffer.length === 0) bucket.buffer = Buffer.alloc(CHUNK_BYTES);
      bucket.buffer.writeUIntBE(key, bucket.length, KEY_BYTES);
      bucket.buffer.writeUIntBE(line, bucket.length + KEY_BYTES, LINE_BYTES);
      bucket.length += ENTRY_BYTES;
      if (bucket.length === CHUNK_BYTES) flush(bucket);
    },
    /** Yields every line that seems to repeat an earlier one. To be sure, compare the lines themselves. */
    *find(): Generator<Repeat> {
      for (const bucket of buckets) {
        const seen = new Map<number, number>();
        for (const [key, line] of entriesOf(bucket)) {
          const first = seen.get(key);
          if (first === undefined) seen.set(key, line);
          else yield { line, first };
        }
      }
    },
    /** Deletes the temporary file. */
    close(): void {
      if (!file) return;
      closeSync(file.descriptor);
      rmSync(file.folder, { recursive: true, force: true });
      file = undefined;
    },
  };
}
