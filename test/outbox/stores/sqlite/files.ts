import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { type SqliteDatabase, type SqliteStoreOptions, sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { connect } from '../../../../src/outbox/stores/sqlite/database.js';
import { openAttached } from '../../../../src/outbox/stores/sqlite/open.js';
import { constructorOf, type Driver, driversAtHand } from '../../../drivers/drivers.js';
import { newFolder } from '../../../support/new-folder.js';
import type { Damage } from '../../contract/harness.js';

type Open = (file: string, options?: object) => SqliteDatabase;

const open = (driver: Driver): Open => {
  const Database = constructorOf(driver);
  return (file, options) => new Database(file, options ?? {});
};

/** The library that `test/drivers/run.js` names, with which every test of this folder then opens its files. */
const named = process.env.SQLITE_DRIVER;
const drivers = driversAtHand().filter(({ folder }) => (named ?? folder) === folder);
if (named !== undefined && drivers.length === 0)
  throw new Error(`test/drivers does not have ${named} for this Node.js`);

const installed: Readonly<Record<string, Open>> = {
  ...(named === undefined
    ? { '@photostructure/sqlite': (file: string, options: object = {}) => new DatabaseSync(file, options) }
    : {}),
  ...Object.fromEntries(drivers.map((driver) => [driver.folder, open(driver)])),
};

export const openSqlite = Object.values(installed)[0] as Open;

/**
 * The libraries by name: `@photostructure/sqlite` of this project, and what `test/drivers` has for this Node.js. A store
 * that opens `@photostructure/sqlite` itself attaches its file.
 */
export const LIBRARIES: typeof installed = {
  ...installed,
  ...Object.fromEntries(
    Object.entries(installed)
      .filter(([name]) => name.includes('photostructure'))
      .map(([name, openFile]) => [`${name}, attached`, (file: string) => openAttached(openFile, file)]),
  ),
};

/** The result of a statement, as the library returns it. */
export const query = (database: SqliteDatabase, sql: string): Record<string, unknown>[] =>
  (database.prepare(sql) as { all(): Record<string, unknown>[] }).all();

const folder = newFolder('sqlite');
let files = 0;

/** The path of a new file. */
export function newFile(): string {
  files += 1;
  return join(folder, `outbox-${files}.db`);
}

/** A copy of the file in its current state, as a killed process leaves it. */
export function copyOf(file: string): string {
  const copy = newFile();
  for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return copy;
}

/** The parts of a row that the tables cannot check. They refuse a wrong value in any other. */
const DAMAGED_COLUMNS = {
  operation: 'operation',
  reference: 'reference',
  waitsFor: 'waits_for',
  outcome: 'outcome',
  problem: 'problem',
  decisions: 'decisions',
} as const;

/** Damages parts of the rows of a file. */
export function damageIn(file: string, open: (file: string) => SqliteDatabase): Damage {
  const change = (id: string, column: string, text: string) => {
    const database = open(file);
    connect(database).run(`UPDATE outbox_rows SET ${column} = ? WHERE id = ?`, text, id);
    database.close();
  };
  return {
    parts: Object.keys(DAMAGED_COLUMNS) as (keyof typeof DAMAGED_COLUMNS)[],
    spoil: (id, part) => change(id, DAMAGED_COLUMNS[part as keyof typeof DAMAGED_COLUMNS], '{'),
    replaced: ['operation', 'reference'],
    replace: change,
  };
}

export const openStore = (file: string, options: SqliteStoreOptions = {}) =>
  sqliteStore({ file, open: openSqlite, ...options });

/** Returns the error of a promise. A promise that resolves fails the test. */
export const rejectionOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => {
      throw new Error(`expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: Error) => error,
  );
