// What is loaded of them; their own types are not needed, and not there where another of them is used.
declare module 'node:sqlite' {
  export const DatabaseSync: new (
    file: string,
    options?: object,
  ) => Omit<import('./database.js').SqliteDatabase, 'prepare'> & { prepare(sql: string): { run(...values: unknown[]): unknown } };
}
declare module 'better-sqlite3' {
  const Database: unknown;
  export default Database;
}
