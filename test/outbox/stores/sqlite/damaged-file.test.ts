import { execSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/entries/index.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import type { SqliteDatabase } from '../../../../src/entries/outbox-sqlite.js';
import { sampleSize } from '../../../support/cases.js';
import { http, type RawRequest, rawGateway } from '../../../support/raw-gateway.js';
import { root, startNode } from '../../../support/run.js';
import { claim, newRow } from '../../contract/harness.js';
import { personalBet, personalSettlement } from '../../personal.js';
import { outboxWorld } from '../../world.js';
import { copyOf, newFile, openSqlite, openStore, query } from './files.js';

// A disk changes bits of the file while no process has it open. Another process runs the outbox over it, and a gateway
// of plain sockets keeps its own journal. Nothing here reads the file with the package's code, except the outbox and
// the command themselves.

interface Run {
  readonly errors: readonly string[];
  readonly rows: readonly (readonly [operation: string, reference: string, state: string, problem?: string])[];
  readonly settled: boolean;
  readonly pending: readonly string[];
}

interface Told {
  readonly file: string;
  readonly first: Run;
  readonly list: { readonly code: number; readonly text: string };
  /** The requests of the run. */
  readonly journal: readonly string[];
}

const RECORDED = ['B-0', 'B-1', 'B-2'];
const WAITING = Array.from({ length: 12 }, (_, index) => `B-${10 + index}`);
const REFUSED = 'B-9';
const SETTLED = ['B-0', 'B-10', REFUSED];
/** The reports that are sent from a sound file. The settlement of a quarantined bet waits for a person. */
const SENT = [...WAITING.map((bet) => `reportBetEvent ${bet}`), 'reportSettledBet B-0', 'reportSettledBet B-10'];

const nameOf = ({ path, body }: Pick<RawRequest, 'path' | 'body'>): string => {
  const { bet_id: bet } = JSON.parse(body) as { bet_id: string };
  return `${path.includes('settled') ? 'reportSettledBet' : 'reportBetEvent'} ${bet}`;
};

/**
 * A gateway that records each report once, and calls a repetition a duplicate. After each file it forgets all but the
 * first bets.
 */
async function openJournal() {
  const held = new Set<string>();
  return rawGateway(({ path, body }) => {
    if (path === '/done') {
      held.clear();
      for (const bet of RECORDED) held.add(`reportBetEvent ${bet}`);
    }
    if (body === '') return http('200 OK', '{}');
    const name = nameOf({ path, body });
    if (name.endsWith(REFUSED))
      return http('422 Unprocessable Entity', '{"message":"No","error":"Unprocessable Entity","statusCode":422}');
    if (held.has(name))
      return http(
        '409 Conflict',
        '{"message":"This bet has already been reported","error":"Conflict","statusCode":409}',
      );
    held.add(name);
    return http('200 OK', '{"message":"Bet reported"}');
  });
}

let gateway: Awaited<ReturnType<typeof openJournal>>;
let child: string;
let folder: string;
let whole: string;

beforeAll(async () => {
  gateway = await openJournal();
  folder = mkdtempSync(join(root, 'node_modules', '.damaged-'));
  child = join(folder, 'child.js');
  const entryPoints = [join(root, 'test/outbox/stores/sqlite/damaged-file-child.ts')];
  await build({
    entryPoints,
    outfile: child,
    bundle: true,
    packages: 'external',
    loader: { '.sql': 'text' },
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    logLevel: 'silent',
  });
  whole = newFile();
  const store = await openStore(whole);
  const client = createClient({
    gateways: { staging: { baseUrl: gateway.baseUrl, apiKey: 'key' } },
    environment: 'staging',
    logger: { warn: () => {} },
  });
  const outbox = createOutbox({ client, store, pollMs: 20 });
  for (const bet of [...RECORDED, REFUSED]) await outbox.reportBetEvent(personalBet(bet));
  await outbox.drain();
  for (const bet of WAITING) await outbox.reportBetEvent(personalBet(bet));
  for (const bet of SETTLED) await outbox.reportSettledBet(personalSettlement(bet));
  await outbox.stop();
  await store.close?.();
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});

/** Runs the outbox over the files in another process. Fails if that process ends early. */
async function runOver(files: readonly string[]): Promise<Told[]> {
  await fetch(`${gateway.baseUrl}/done`);
  const from = gateway.requests.length;
  const process = startNode([child, gateway.baseUrl, ...files]);
  let [out, err] = ['', ''];
  process.stdout?.on('data', (piece) => {
    out += piece;
  });
  process.stderr?.on('data', (piece) => {
    err += piece;
  });
  const [code, signal] = await once(process, 'close');
  const lines = out.split('\n').filter(Boolean);
  // The file on which the process was aborted.
  expect([files[lines.length], code, signal, err]).toEqual([undefined, 0, null, '']);
  const journals: string[][] = [[]];
  for (const request of gateway.requests.slice(from)) {
    if (request.path === '/drained' || request.path === '/done') journals.push([]);
    else journals.at(-1)?.push(nameOf(request));
  }
  return lines.map((line, index) => ({
    ...(JSON.parse(line) as Omit<Told, 'journal'>),
    journal: journals[index * 2] ?? [],
  }));
}

/** Numbers from 0 to below 1, always the same for a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const PAGE = 4_096;
const TEXTS = [
  'default:staging:reportBetEvent:B-1',
  'reportSettledBet',
  'waiting',
  'recorded',
  'staging',
  'http://127',
  '{"',
  'outbox_',
  'B-1',
];

/** The kinds of damage. Each changes one byte in place, and returns that place. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: () => number) => number>> = {
  'a text is no longer valid'(bytes, random) {
    const text = TEXTS[Math.floor(random() * TEXTS.length)] ?? '';
    const places: number[] = [];
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
    const at = (places[Math.floor(random() * places.length)] ?? PAGE) + Math.floor(random() * text.length);
    bytes[at] = (bytes[at] ?? 0) | 0x80;
    return at;
  },
  'a bit is flipped'(bytes, random) {
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return at;
  },
  'the head of a page is changed'(bytes, random) {
    const at = Math.floor(random() * (bytes.length / PAGE)) * PAGE + Math.floor(random() * 40);
    bytes[at] = Math.floor(random() * 256);
    return at;
  },
};

/** Copies of the file, each with one damage. */
function damagedFiles(kind: string, count: number): string[] {
  const damage = DAMAGES[kind];
  const random = randomOf(kind.length);
  return Array.from({ length: count }, () => {
    const file = newFile();
    copyFileSync(whole, file);
    const bytes = readFileSync(file);
    damage?.(bytes, random);
    writeFileSync(file, bytes);
    return file;
  });
}

const repeated = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);
const sorted = (names: readonly string[]): string[] => [...names].sort();

/** The log of receipts has its own check, and its damage stops no report. */
const isOfReports = (error: string): boolean => !error.includes('The last line of the log of receipts is damaged');

/** Everything that is wrong with the outcome of one file. */
function wrongIn({ first, list, journal: sent }: Told): unknown[] {
  const damaged = new Set(
    first.rows.flatMap(([operation, reference, , problem]) =>
      problem === 'damaged' ? [`${operation} ${reference}`] : [],
    ),
  );
  const missing = SENT.filter((name) => !sent.includes(name));
  const isRefused = first.errors.some((error) => /is damaged.* sqlite3 .* \.dump /.test(error));
  const isOtherGateway = first.errors.some((error) => /ConfigurationError: .* rebind/.test(error));
  const stuck = first.pending.filter((state) => /^(waiting|in-flight)/.test(state));
  return [
    ...(first.settled ? [] : ['drain did not settle']),
    ...repeated(sent).map((name) => `sent twice: ${name}`),
    ...sent
      .filter((name) => RECORDED.some((bet) => name === `reportBetEvent ${bet}`))
      .map((name) => `sent again: ${name}`),
    ...first.errors.filter((error) => error.includes('older state')),
    ...(isRefused || isOtherGateway ? [] : first.errors.filter(isOfReports)),
    // A settlement may wait for its damaged bet.
    ...(isRefused || isOtherGateway || missing.length <= damaged.size * 2 ? [] : [`not sent: ${missing}`]),
    ...(isRefused || isOtherGateway ? [] : stuck),
    // 2 if the file is refused when it is opened, 1 if its use shows the damage, such as that of a column's name, and 0
    // if only a change of a row shows it, such as that of a trigger's text.
    ...(list.code === 0 || isRefused || isOtherGateway ? [] : [list]),
  ];
}

/** The libraries refuse to change the schema otherwise. */
function allowSchemaWrites(database: SqliteDatabase) {
  const library = database as { enableDefensive?(active: boolean): void; unsafeMode?(active: boolean): void };
  library.enableDefensive?.(false);
  library.unsafeMode?.(true);
}

/** Makes an index stale: the change is made while the file has no such index. */
function changeBehind(file: string, index: string, sql: string): void {
  const database = openSqlite(file);
  const [found] = query(database, `SELECT name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = '${index}'`);
  const reload = () =>
    database.exec(`PRAGMA schema_version = ${Number(query(database, 'PRAGMA schema_version')[0]?.schema_version) + 1}`);
  allowSchemaWrites(database);
  database.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = '${index}'`);
  reload();
  database.close();
  const without = openSqlite(file);
  without.exec(sql);
  allowSchemaWrites(without);
  without.exec(`PRAGMA writable_schema = ON; INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
    VALUES ('index', '${found?.name}', '${found?.tbl_name}', ${found?.rootpage}, '${String(found?.sql).replaceAll("'", "''")}')`);
  without.exec(`PRAGMA schema_version = ${Number(query(without, 'PRAGMA schema_version')[0]?.schema_version) + 1}`);
  without.close();
}

describe('a file that is damaged while an outbox has it open', () => {
  it('is closed with the error of the store, if with one', async () => {
    const file = newFile();
    const before = await openStore(file);
    await before.enqueue([newRow('B-1')]);
    await before.close?.();
    const store = await openStore(file);
    const { length } = readFileSync(file);
    const overwritten = openSync(file, 'r+');
    writeSync(overwritten, Buffer.alloc(length - 4_096, 0xff), 0, length - 4_096, 4_096);
    closeSync(overwritten);
    await expect(store.enqueue([newRow('B-2')])).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
    await expect(store.close?.()).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
  });

  it('stops it: the queue has a recorded row', async () => {
    const file = newFile();
    const store = await openStore(file);
    const { outbox, events, sent, run } = outboxWorld({ store });
    const reports = await Promise.all(['B-1', 'B-2', 'B-3'].map((bet) => outbox.reportBetEvent(personalBet(bet))));
    const done = Promise.allSettled(reports.map((report) => report.done));
    changeBehind(file, 'outbox_due', "UPDATE outbox_rows SET state = 'recorded' WHERE reference = 'B-2'");

    await expect(run(outbox.drain())).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(`sqlite3 ${file} .dump | sed 's/^ROLLBACK;.*/COMMIT;/' | sqlite3 ${file}.saved`),
    });
    expect(sent.length).toBe(new Set(sent).size);
    expect(sent.filter((body) => body.includes('B-2'))).toEqual([]);
    for (const result of await done)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'aborted', outcome: 'unknown' });
    await expect(outbox.reportBetEvent(personalBet('B-4'))).rejects.toMatchObject({ code: 'corrupt' });
    await expect(outbox.stats()).rejects.toMatchObject({ code: 'corrupt' });
    outbox.start();
    await run(outbox.drain().catch(() => {}));
    const errors = events.flatMap(([type, event]) =>
      type === 'error' && 'message' in event ? [String(event.message)] : [],
    );
    expect(errors.join()).toMatch(/^The outbox has stopped\. The outbox's database .* is damaged, .* sqlite3 /);
    expect(errors.join()).not.toMatch(/older state|tries again/);
    await store.close?.();
  });
});

const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;

describe.runIf(hasSqlite)('a file with an unreadable page', () => {
  it('is saved by the command of the error, without the reports of that page', async () => {
    const file = newFile();
    const store = await openStore(file);
    await store.enqueue(
      Array.from({ length: 200 }, (_, index) => newRow(`B-${index}`, { body: `body of ${index};${'x'.repeat(500)}` })),
    );
    const [flying] = await claim(store, 1);
    await store.close?.();
    const damaged = copyOf(file);
    const bytes = readFileSync(damaged);
    const page = Math.floor(bytes.indexOf('body of 100;') / PAGE) * PAGE;
    bytes.fill(0x5a, page, page + PAGE);
    writeFileSync(damaged, bytes);

    const error: unknown = await openStore(damaged).catch((reason: unknown) => reason);
    const [, command = ''] = /: (sqlite3 .*\.saved)\.$/.exec(String(error)) ?? [];
    execSync(command, { stdio: 'ignore' });
    const saved = await openStore(`${damaged}.saved`);
    const rows = await saved.list({ limit: 1_000 });
    expect(rows.length).toBeGreaterThan(180);
    expect(rows.map(({ reference }) => reference)).not.toContain('B-100');
    expect(rows.find(({ id }) => id === flying?.id)).toMatchObject({ state: 'in-flight', inDoubt: true, fence: 1 });
    await saved.close?.();
  });
});

describe('a file whose bytes a disk has changed', () => {
  it('that is sound is drained', { timeout: 60_000 }, async () => {
    const [told] = await runOver(damagedFiles('nothing', 1));
    expect(told && wrongIn(told)).toEqual([]);
    expect(sorted(told?.journal ?? [])).toEqual(sorted(SENT));
  });

  it.each(Object.keys(DAMAGES))(
    '%s: every report is sent once, or an error says how to save the reports',
    { timeout: 600_000 },
    async (kind) => {
      const files = damagedFiles(kind, sampleSize(`damaged SQLite files: ${kind}`, 150));
      const outcomes = await runOver(files);
      expect(outcomes.flatMap((told) => wrongIn(told).map((wrong) => [told.file, wrong]))).toEqual([]);
    },
  );
});
