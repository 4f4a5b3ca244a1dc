// The parts of the libraries that are loaded. Their own types are only there if the library is installed.
declare module 'node:sqlite' {
  export const DatabaseSync: new (
    file: string,
    options?: object,
  ) => Omit<import('./database.js').SqliteDatabase, 'prepare'> & {
    prepare(sql: string): { run(...values: unknown[]): unknown };
  };
}
declare module 'better-sqlite3' {
  const Database: unknown;
  export default Database;
}
