import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { LONGEST_BODY } from '../../platform/body.js';

type Unpack = typeof gunzipSync;

/** Some servers omit the header that `deflate` requires. The first byte shows it. */
const inflate: Unpack = (packed, options) => ((Buffer.from(packed as Buffer)[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(packed, options);

const unzip = { finishFlush: constants.Z_SYNC_FLUSH };
const CODINGS: Readonly<Record<string, readonly [Unpack, object]>> = {
  gzip: [gunzipSync, unzip],
  'x-gzip': [gunzipSync, unzip],
  deflate: [inflate, unzip],
  br: [brotliDecompressSync, { finishFlush: constants.BROTLI_OPERATION_FLUSH }],
};
const MOST_CODINGS = 5;

/**
 * The bytes of an answer, decompressed like the built-in `fetch` does it: several codings are undone from the last to
 * the first, an unknown coding leaves the bytes unchanged, and a missing end is accepted. Undefined if they exceed the
 * limit. Throws if the data is invalid.
 */
export function unpack(bytes: Buffer, encoding: string): Buffer | undefined {
  if (bytes.byteLength === 0) return bytes;
  const codings = encoding.split(',').map((name) => CODINGS[name.trim().toLowerCase()]);
  if (codings.length > MOST_CODINGS) throw new Error('the answer has too many content codings');
  if (codings.includes(undefined)) return bytes;
  try {
    return codings.reduceRight((packed, coding) => (coding ? coding[0](packed, { ...coding[1], maxOutputLength: LONGEST_BODY }) : packed), bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
