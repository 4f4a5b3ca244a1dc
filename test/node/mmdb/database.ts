import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MAXMIND } from '../../location/mmdb/mmdb-records.js';
import { type Value, writeMmdb } from '../../support/write-mmdb.js';

export const LAGOS = { ...MAXMIND, city: { names: { en: 'Lagos' } }, location: { latitude: 6.5, longitude: 3.375 } };

/** A database with one network. The place differs, its size does not. */
export const databaseOf = (record: Value): Buffer => writeMmdb({ '102.89.0.0/16': record });

/** The path of a file in its own folder. Both are removed when the test ends. */
export function temporaryFile(contents?: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-mmdb-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'places.mmdb');
  if (contents) writeFileSync(file, contents);
  return file;
}
