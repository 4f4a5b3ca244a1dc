import type { MmdbReader } from '../../location/mmdb/mmdb-lookup.js';
import { createRecordCache } from './cache.js';

/** The class `Reader` of `mmdb-lib`, which `maxmind` exports too: made from the bytes of a file. */
export type MmdbReaderClass = new (bytes: never, options?: never) => MmdbReader;

/** What came of opening a database: a reader, or why there is none, in words that name no path. */
export type OpenedReader = { readonly reader: MmdbReader } | { readonly problem: string };

const MARKER = '\xab\xcd\xefMaxMind.com';
/** The format puts the metadata into this many bytes at the end. */
const LONGEST_METADATA = 128 * 1024;
/** Zeros between the search tree and the records. */
const SEPARATOR_BYTES = 16;

/** The class of the package that the user has installed; undefined where there is neither. */
async function findReaderClass(): Promise<MmdbReaderClass | undefined> {
  // Caught where they stand: a bundler then builds without a package that is not installed.
  const found = (await import('mmdb-lib').catch(() => undefined)) ?? (await import('maxmind').catch(() => undefined));
  return found?.Reader;
}

/** What is wrong with the bytes, as far as can be seen before they are read. */
function problemOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'it is compressed; unpack it first';
  // Searched here, since a reader would search the whole file.
  const end = bytes.subarray(-LONGEST_METADATA);
  return end.lastIndexOf(MARKER, undefined, 'latin1') < 0 ? "it is not a database in MaxMind's format, or not a whole one" : undefined;
}

/** Whether the records begin where the metadata says. They do not where the parts are of different databases. */
function fits({ metadata }: MmdbReader, bytes: Buffer): boolean {
  if (metadata.ipVersion !== 4 && metadata.ipVersion !== 6) return false;
  const treeBytes = (metadata as { searchTreeSize?: unknown }).searchTreeSize;
  // A reader of the user's own may not tell.
  if (typeof treeBytes !== 'number') return true;
  const separator = bytes.subarray(treeBytes, treeBytes + SEPARATOR_BYTES);
  return separator.length === SEPARATOR_BYTES && separator.every((byte) => byte === 0);
}

/** Makes a reader of the bytes of a file, with the given class or that of the installed package. */
export async function openReader(bytes: Buffer, given: MmdbReaderClass | undefined): Promise<OpenedReader> {
  const problem = problemOf(bytes);
  if (problem) return { problem };
  const Reader = given ?? (await findReaderClass());
  if (!Reader) return { problem: 'no package is installed that reads it: run "npm install mmdb-lib"; in a bundled server, pass its Reader too' };
  try {
    const reader = new Reader(bytes as never, { cache: createRecordCache() } as never);
    if (fits(reader, bytes)) return { reader };
  } catch {
    // The reader's error says no more.
  }
  return { problem: 'it is damaged, or not a whole file' };
}
