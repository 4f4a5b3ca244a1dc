import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite, query } from '../../outbox/stores/sqlite/files.js';
import { runCli } from '../../support/cli-in-process.js';
import { newFolder } from '../../support/new-folder.js';

const GATEWAYS =
  "gateways: { staging: { baseUrl: 'https://gateway.example.com' }, production: { baseUrl: 'https://live.example.com' } }";

/** A folder for one import: its files, its outbox, and the command. `place`: another outbox, with its options. */
export function importFolder(options = '', place: readonly string[] = []) {
  const folder = newFolder('import');
  const at = (name: string) => join(folder, name);
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(at(name), content);
    return at(name);
  };
  const optionsFile = write('options.mjs', `export default { ${GATEWAYS}, ${options} };`);
  const outbox = at('outbox.db');
  const wordsOf = (file: string, operation: string, more: readonly string[]) => {
    const given = more.includes('--options') ? more : ['--options', optionsFile, ...more];
    const [first = outbox, ...others] = place;
    return ['outbox', first, 'import', file, '--operation', operation, ...others, ...given];
  };
  return {
    at,
    write,
    outbox,
    optionsFile,
    wordsOf,
    run: (file: string, operation: string, ...more: string[]) => runCli(wordsOf(file, operation, more)),
    /** The number of rows, read by another program, faster than an import adds them. */
    count(): number {
      const database = openSqlite(outbox);
      const [found] = query(database, 'SELECT count(*) AS number FROM outbox_rows');
      database.close();
      return Number(found?.number);
    },
    /** The rows in the file of the outbox, read by another program. */
    rows(): {
      reference: string;
      account: string;
      environment: string;
      operation: string;
      body: Record<string, unknown>;
    }[] {
      const database = openSqlite(outbox);
      const rows = query(
        database,
        'SELECT reference, account, environment, operation, body FROM outbox_rows ORDER BY sequence',
      );
      database.close();
      return rows.map(({ reference, account, environment, operation, body }) => ({
        reference: String(reference),
        account: String(account),
        environment: String(environment),
        operation: String(operation),
        body: String(body).startsWith('{') ? JSON.parse(String(body)) : { sealed: String(body) },
      }));
    },
  };
}

type Cell = string | number | boolean | undefined;

/** The fields of a payload by their dotted names. */
export function flat(payload: object, under = ''): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(flat(value, `${under}${name}.`))
        : [[`${under}${name}`, value]],
    ),
  );
}

/**
 * Payloads as a table. This writer shares no code with the reader. It quotes every cell, or only those that need
 * quotes.
 */
export function csvOf(payloads: readonly object[], { separator = ',', newline = '\n', quoteAll = false } = {}): string {
  const rows = payloads.map((payload) => flat(payload));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: Cell) => {
    const text = value === undefined ? '' : String(value);
    return quoteAll || /["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(cell).join(separator)}${newline}`)
    .join('');
}
