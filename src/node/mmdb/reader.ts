import type { MmdbReader } from '../../location/mmdb/mmdb-lookup.js';
import { createRecordCache } from './cache.js';

/** The class `Reader` of `mmdb-lib`, which `maxmind` also exports. It is made from the bytes of a file. */
export type MmdbReaderClass = new (bytes: never, options?: never) => MmdbReader;

/** The result of opening a database: a reader, or why there is none, in words that contain no path. */
export type OpenedReader = { readonly reader: MmdbReader } | { readonly problem: string };

const MARKER = '\xab\xcd\xefMaxMind.com';
/** The format puts the metadata into the last bytes of the file, this many. */
const LONGEST_METADATA = 128 * 1024;
/** The zeros between the search tree and the records. */
const SEPARATOR_BYTES = 16;

/** The class of the package that the user has installed. Undefined if there is neither. */
async function findReaderClass(): Promise<MmdbReaderClass | undefined> {
  // Caught at each import: a bundler then builds without a package that is not installed.
  const found = (await import('mmdb-lib').catch(() => undefined)) ?? (await import('maxmind').catch(() => undefined));
  return found?.Reader;
}

/** The problem with the bytes that can be found before they are read. */
function problemOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'it is compressed; unpack it first';
  // Searched here, since a reader would search the whole file.
  const end = bytes.subarray(-LONGEST_METADATA);
  return end.lastIndexOf(MARKER, undefined, 'latin1') < 0 ? "it is not a database in MaxMind's format, or it is incomplete" : undefined;
}

/** Whether the records begin where the metadata says. They do not if the parts come from different databases. */
function fits({ metadata }: MmdbReader, bytes: Buffer): boolean {
  if (metadata.ipVersion !== 4 && metadata.ipVersion !== 6) return false;
  const treeBytes = (metadata as { searchTreeSize?: unknown }).searchTreeSize;
  // A user's own reader may not have this information.
  if (typeof treeBytes !== 'number') return true;
  const separator = bytes.subarray(treeBytes, treeBytes + SEPARATOR_BYTES);
  return separator.length === SEPARATOR_BYTES && separator.every((byte) => byte === 0);
}

/** Makes a reader of a file's bytes, with the given class or that of the installed package. */
export async function openReader(bytes: Buffer, given: MmdbReaderClass | undefined): Promise<OpenedReader> {
  const problem = problemOf(bytes);
  if (problem) return { problem };
  const Reader = given ?? (await findReaderClass());
  if (!Reader) return { problem: 'no package is installed that reads it: run "npm install mmdb-lib"; in a bundled server, pass its Reader too' };
  try {
    const reader = new Reader(bytes as never, { cache: createRecordCache() } as never);
    if (fits(reader, bytes)) return { reader };
  } catch {
    // The reader's error gives no further information.
  }
  return { problem: 'it is damaged or incomplete' };
}
