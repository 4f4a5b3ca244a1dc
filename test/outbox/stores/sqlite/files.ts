import { copyFileSync, existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type SqliteDatabase, type SqliteStoreOptions, sqliteStore } from '../../../../src/entries/outbox-sqlite.js';
import { connect } from '../../../../src/outbox/stores/sqlite/database.js';
import { openAttached } from '../../../../src/outbox/stores/sqlite/open.js';
import { systemClock } from '../../../../src/platform/time.js';
import type { Damage } from '../../contract/harness.js';

type Constructor = new (file: string) => SqliteDatabase;

const installed: { readonly [Name: string]: (file: string) => SqliteDatabase } = Object.fromEntries(
  (
    await Promise.all(
      ['@photostructure/sqlite', 'node:sqlite', 'better-sqlite3'].map(async (name) => {
        try {
          const library = (await import(/* @vite-ignore */ name)) as {
            default?: Constructor;
            DatabaseSync?: Constructor;
          };
          const Database = library.DatabaseSync ?? library.default;
          return Database ? [[name, (file: string) => new Database(file)] as const] : [];
        } catch (error) {
          if (name === '@photostructure/sqlite') throw error;
          return [];
        }
      }),
    )
  ).flat(),
);

export const openSqlite = installed['@photostructure/sqlite'] as (file: string) => SqliteDatabase;

/**
 * The installed libraries by name: `@photostructure/sqlite` always, `node:sqlite` from Node.js 22.13 on, `better-sqlite3` if it is
 * installed. A store that opens `@photostructure/sqlite` itself attaches its file.
 */
export const LIBRARIES: typeof installed = {
  ...installed,
  '@photostructure/sqlite, attached': (file) => openAttached(openSqlite, file),
};

/** The result of a statement, as the library returns it. */
export const query = (database: SqliteDatabase, sql: string): Record<string, unknown>[] =>
  (database.prepare(sql) as { all(): Record<string, unknown>[] }).all();

const folder = mkdtempSync(join(inject('runFolder'), 'sqlite-'));
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

/** A clock that the test moves. Its timers are real. */
export function movableClock() {
  let time = 1_795_161_600_000;
  return {
    clock: { ...systemClock, now: () => time },
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
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
