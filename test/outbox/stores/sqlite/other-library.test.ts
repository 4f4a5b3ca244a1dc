import { describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../../src/entries/outbox-sqlite.js';
import { newRow } from '../../contract/harness.js';
import { LIBRARIES, newFile, openSqlite, openStore, rejectionOf } from './files.js';

/** A connection of a library with another SQLite version. */
function ofOtherLibrary(file: string): SqliteDatabase {
  const database = openSqlite(file);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) =>
      sql.includes('sqlite_source_id')
        ? database.prepare(sql.replaceAll('sqlite_source_id()', "'another library'"))
        : database.prepare(sql),
    close: () => database.close(),
  };
}

const OTHERS = [
  ['a library of another name', ofOtherLibrary] as const,
  ...Object.entries(LIBRARIES).filter(([name, open]) => open !== openSqlite && !name.endsWith('attached')),
];

describe.each(OTHERS)('a file that a store of this process has open, opened with %s', (_, openOther) => {
  it('is refused with advice, and the first store continues', async () => {
    const file = newFile();
    const store = await openStore(file);
    expect(await rejectionOf(openStore(file, { open: openOther }))).toMatchObject({
      code: 'library',
      message: expect.stringMatching(/one library|same library/),
    });
    await store.enqueue([newRow('B-1')]);
    expect((await store.list({ limit: 10 })).length).toBe(1);
    await store.close?.();
  });

  it('is opened once the first store is closed', async () => {
    const file = newFile();
    const first = await openStore(file);
    await first.close?.();
    const second = await openStore(file, { open: openOther });
    await second.enqueue([newRow('B-1')]);
    await second.close?.();
    const third = await openStore(file);
    expect((await third.list({ limit: 10 })).length).toBe(1);
    await third.close?.();
  });
});

it('is opened twice with the same library', async () => {
  const file = newFile();
  const [store, other] = [await openStore(file), await openStore(file)];
  await other.close?.();
  expect(await rejectionOf(openStore(file, { open: ofOtherLibrary }))).toMatchObject({ code: 'library' });
  await store.close?.();
});
