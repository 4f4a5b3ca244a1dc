import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Answered } from '../../../core/delivery/transport.js';
import { decodeText, isLengthKnown, LONGEST_BODY, WITHOUT_BODY } from '../../../core/platform/body.js';

export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * `whole` is the body as it came, undefined if that was too long: then the answer has none. Throws if it cannot be
 * decompressed.
 */
export function readAnswer(status: number, received: ReceivedHeaders, whole: Uint8Array | undefined): Answered {
  const header = (name: string): string | null => {
    const value = received[name];
    return (Array.isArray(value) ? value.join(', ') : value) ?? null;
  };
  const coding = received['content-encoding'];
  const isPacked = whole !== undefined && coding !== undefined && !WITHOUT_BODY.includes(status);
  const body = isPacked ? unpack(whole, String(coding)) : whole;
  // It came over a network, so the end of the connection may be the only sign of its end.
  return {
    ended: 'answered',
    status,
    header,
    text: body && (WITHOUT_BODY.includes(status) ? '' : decodeText(body)),
    measured: body !== undefined && isLengthKnown(status, header),
  };
}

type Unpack = typeof gunzipSync;

/** Some servers omit the header that `deflate` requires. The first byte shows it. */
const inflate: Unpack = (packed, options) =>
  ((Buffer.from(packed as Buffer)[0] ?? 0) % 16 === 8 ? inflateSync : inflateRawSync)(packed, options);

const unzip = { finishFlush: constants.Z_SYNC_FLUSH };
const CODINGS: Readonly<Record<string, readonly [Unpack, object]>> = {
  gzip: [gunzipSync, unzip],
  'x-gzip': [gunzipSync, unzip],
  deflate: [inflate, unzip],
  br: [brotliDecompressSync, { finishFlush: constants.BROTLI_OPERATION_FLUSH }],
};
const MOST_CODINGS = 5;

/**
 * Like the built-in `fetch`: several codings are undone from the last to the first, an unknown coding leaves the bytes
 * unchanged, and a missing end is accepted. Undefined if they exceed the limit.
 */
function unpack(bytes: Uint8Array, encoding: string): Uint8Array | undefined {
  if (bytes.byteLength === 0) return bytes;
  const codings = encoding.split(',').map((name) => CODINGS[name.trim().toLowerCase()]);
  if (codings.length > MOST_CODINGS) throw new Error('the answer has too many content codings');
  if (codings.includes(undefined)) return bytes;
  try {
    return codings.reduceRight<Uint8Array>(
      (packed, coding) => (coding ? coding[0](packed, { ...coding[1], maxOutputLength: LONGEST_BODY }) : packed),
      bytes,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
