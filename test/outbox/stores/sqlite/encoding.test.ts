// @module-tag slow: the contract of contract.test.ts again, in other encodings.
import { describe, expect, it } from 'vitest';
import { storeContract } from '../../contract/contract.js';
import { copyOf, damageIn, LIBRARIES, movableClock, newFile, openSqlite, openStore, query } from './files.js';

/** A file that another tool has made, with texts of this encoding. */
function encodedFile(encoding: string): string {
  const file = newFile();
  const database = openSqlite(file);
  database.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE of_another_tool (text TEXT)`);
  expect(query(database, 'PRAGMA encoding')[0]).toMatchObject({ encoding });
  database.close();
  return file;
}

// SQLite itself converts the texts, so each library gets one of the encodings.
const CASES = Object.entries(LIBRARIES).map(
  ([library, open], index) => [index % 2 === 0 ? 'UTF-16le' : 'UTF-16be', library, open] as const,
);

describe.each(CASES)('the SQLite store in a file of the encoding %s, over %s', (encoding, _, open) => {
  it.each(storeContract.map(({ name, run }) => [name, run] as const))('%s', (__, run) =>
    run(async () => {
      const file = encodedFile(encoding);
      const { clock, advance } = movableClock();
      return {
        store: await openStore(file, { open, clock }),
        advance,
        another: () => openStore(file, { open, clock }),
        reopen: () => openStore(copyOf(file), { open, clock }),
        damage: damageIn(file, open),
      };
    }),
  );
});
