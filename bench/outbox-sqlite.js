// The cost of putting a report into the outbox and of taking it out: compared with a bare prepared insert into SQLite
// with the same durability on the same disk, and with the client alone. The bounds do without the outbox what its
// guarantees need: they check the call, write its rows into its own tables, look at its file, and make its hashes.
import { createHash, createHmac } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync as Database } from '@photostructure/sqlite';
import { builds, load, nameOf } from './builds.js';
import { CONTEXT, loadChecks } from './checks.js';
import { compare, compareHere, table, timed } from './measure.js';
import { isAsked, sizeOf } from './options.js';
import { startProcess } from './process.js';
import { ask, promises, slipOf, tell } from './promises.js';
import { bet, CLAIMED, clientOf, NOWHERE, rowsOf, turns } from './reports.js';
import { sqliteStore } from './stores.js';
import { whole } from './words.js';

const BATCH = 500;
const CONCURRENCY = 8;
const FEW = sizeOf(10_000, 100);
const MANY = sizeOf(1_000_000, 1_000);
const BACKLOG = sizeOf(1_000, 50);
/** The lines that the log of receipts adds with one commit. */
const LOGGED = 500;

let bets = 0;
const nextBet = () => {
  bets += 1;
  return bet(`B-${bets}`);
};

const folder = await mkdtemp(join(tmpdir(), 'location-sdk-bench-'));
let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `${files}.db`);
};
// The same library for all.
const open = (/** @type {string} */ file) => new Database(file);
const openStore = () => sqliteStore({ file: newFile(), open });

/**
 * An outbox of each build, over a file of its own.
 * @param {string} gateway
 * @param {Parameters<typeof clientOf>[1]} [options]
 */
const openOutboxes = (gateway, options) =>
  Promise.all(
    builds.map(async (build) => {
      const { createOutbox } = await load('outbox', build);
      const { sqliteStore: openBuilt } = await load('outbox-sqlite', build);
      const file = newFile();
      const [client, store] = [await clientOf(gateway, options, build), await openBuilt({ file, open })];
      return { build, file, store, outbox: createOutbox({ client, store, concurrency: CONCURRENCY }) };
    }),
  );

/** The columns of a waiting report, with the same unique key: no other index, no order, no other process. */
const BARE_TABLE = `CREATE TABLE reports (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, environment TEXT NOT NULL, operation TEXT NOT NULL,
  reference TEXT NOT NULL, state TEXT NOT NULL, enqueued_at INTEGER NOT NULL, due_at INTEGER NOT NULL, fingerprint TEXT NOT NULL, body TEXT NOT NULL)`;
const BARE_INSERT = `INSERT INTO reports (id, environment, operation, reference, state, enqueued_at, due_at, fingerprint, body)
  VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?, ?)`;
const DURABLE = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;';

/** @typedef {Record<string, string | number | null>} Columns */

const keyedHash = (/** @type {string} */ text) => createHmac('sha256', 'a key').update(text).digest('hex');

/** @typedef {(store: import('./stores.js').OutboxStore) => Promise<unknown>} Enqueue */
/** @type {Enqueue} */
const enqueueRow = (store) => store.enqueue(rowsOf('model', 1));
/** @type {Enqueue} */
async function enqueueReport(store) {
  const { createOutbox } = await load('outbox');
  return createOutbox({ client: await clientOf(NOWHERE), store }).reportBetEvent(nextBet());
}

/** Writes rows into the tables of an outbox without it. The rows are like the one that `enqueue` writes. */
async function openTables(enqueue = enqueueRow) {
  const file = newFile();
  const store = await sqliteStore({ file, open });
  await enqueue(store);
  await store.close?.();
  const database = open(file);
  database.exec(DURABLE);
  const model = /** @type {Columns} */ (database.prepare('SELECT * FROM outbox_rows').get());
  const columns = /** @type {{ name: string }[]} */ (database.prepare('PRAGMA table_info(outbox_rows)').all());
  const names = columns.map(({ name }) => name).filter((name) => name !== 'sequence');
  const statement = database.prepare(
    `INSERT INTO outbox_rows (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  /** Inserts a row, and returns its number. @param {Columns} given the columns that differ from the model's */
  const insert = (given) =>
    Number(statement.run(...names.map((name) => given[name] ?? model[name] ?? null)).lastInsertRowid);
  /** The outbox finds out at each commit whether its file was deleted, replaced or restored. */
  const look = () => [statSync(file), statSync(folder)];
  return { database, insert, look };
}

async function enqueueing() {
  const bare = open(newFile());
  bare.exec(`${DURABLE} ${BARE_TABLE}`);
  const insert = bare.prepare(BARE_INSERT);
  const { checkCall } = await loadChecks();
  const [tables, outboxTables] = [await openTables(), await openTables(enqueueReport)];
  const store = await openStore();
  const opened = await openOutboxes(NOWHERE);
  const [{ outbox } = { outbox: undefined }] = opened;
  if (!outbox) throw new Error('no outbox was opened');
  /** @param {(row: ReturnType<typeof rowsOf>[number]) => unknown} work */
  const eachRow = (work) => async (/** @type {number} */ times) => {
    for (let done = 0; done < times; done += 1) {
      bets += 1;
      for (const row of rowsOf(`R-${bets}`, 1)) await work(row);
    }
  };
  /** @param {number} size @param {(count: number) => Promise<unknown>} work */
  const inBatches = (size, work) => async (/** @type {number} */ times) => {
    for (let done = 0; done < times; done += size) await work(Math.min(size, times - done));
  };
  const asked = ask(
    [promises.store, 'store', 'storeBound'],
    [promises.outbox, 'outbox', 'outboxBound'],
    [promises.together, 'together', 'bare'],
    [promises.batch, 'batch', 'store'],
    ...slipOf('SQLite, one by one: outbox', 'outbox'),
  );
  const results = await compareHere(
    [
      {
        key: 'bare',
        name: 'bare prepared insert',
        run: eachRow(({ id, environment, operation, reference, fingerprint, body }) => {
          const now = Date.now();
          insert.run(id, environment, operation, reference, now, now, fingerprint, body);
        }),
      },
      {
        key: 'storeBound',
        name: "bare prepared insert into the outbox's table, its file looked at",
        run: eachRow(({ id, reference, fingerprint, body }) => {
          tables.insert({ id, reference, fingerprint, body });
          tables.look();
        }),
      },
      {
        key: 'outboxBound',
        name: 'the same with the checks of a call and two keyed hashes',
        run: inBatches(1, async () => {
          const { body: report } = checkCall('reportBetEvent', nextBet(), undefined, CONTEXT);
          const { bet_id: reference, user } = report;
          const body = JSON.stringify(report);
          keyedHash(JSON.stringify(user));
          const id = `default:staging:reportBetEvent:${reference}`;
          outboxTables.insert({ id, reference, fingerprint: keyedHash(body), body });
          outboxTables.look();
        }),
      },
      { key: 'store', name: 'store, one by one', run: eachRow((row) => store.enqueue([row])) },
      ...opened.map((one) => ({
        key: `outbox${one.build.key}`,
        name: nameOf('outbox, one by one', one.build),
        run: inBatches(1, () => one.outbox.reportBetEvent(nextBet())),
      })),
      {
        key: 'together',
        name: 'outbox, 50 at once',
        run: inBatches(50, (length) => Promise.all(Array.from({ length }, () => outbox.reportBetEvent(nextBet())))),
      },
      {
        key: 'reportAll',
        name: `outbox, reportAll of ${BATCH}`,
        run: inBatches(BATCH, (length) =>
          outbox.reportAll(Array.from({ length }, () => ({ operation: 'reportBetEvent', payload: nextBet() }))),
        ),
      },
      {
        key: 'batch',
        name: `store, enqueue of ${BATCH}`,
        run: inBatches(BATCH, (length) => {
          bets += 1;
          return store.enqueue(rowsOf(`S-${bets}`, length));
        }),
      },
    ],
    { until: 0.4, neededAfter: asked.neededAfter },
  );
  asked.answer(results);
  tell('SQLite: enqueueing reports', table(results, 'bare'));
  for (const database of [bare, tables.database, outboxTables.database]) database.close();
  await store.close?.();
  for (const one of opened) await one.store.close?.();
}

/**
 * The statements that the guarantees of a drained backlog need, without the outbox. Each transaction claims some rows,
 * reads them, and ends those claimed before, after a look whether another worker has them by now; it also lets their
 * settlements go. The log of receipts reads what has ended, and writes a line with a hash for each. `done` is a file in which an outbox
 * has done that.
 * @param {string} done
 */
async function openStatements(done) {
  const drained = open(done);
  const row = /** @type {Columns} */ (drained.prepare('SELECT * FROM outbox_rows ORDER BY sequence LIMIT 1').get());
  const { line } = /** @type {Columns} */ (drained.prepare('SELECT line FROM outbox_receipts LIMIT 1').get());
  drained.close();
  const { database, insert, look } = await openTables();
  const CHANGED = [
    'state',
    'fence',
    'attempts',
    'in_doubt',
    'doubt_before',
    'outcome',
    'message',
    'request_id',
    'body',
    'ended',
  ];
  const claim = database.prepare(
    "UPDATE outbox_rows SET state = 'in-flight', fence = 1, attempts = 1, due_at = ?, changed_at = ? WHERE sequence = ?",
  );
  const end = database.prepare(
    `UPDATE outbox_rows SET ${CHANGED.map((name) => `${name} = ?`).join(', ')}, changed_at = ? WHERE sequence = ?`,
  );
  const read = database.prepare('SELECT * FROM outbox_rows WHERE sequence BETWEEN ? AND ?');
  const progress = database.prepare('SELECT state, fence FROM outbox_rows WHERE id = ?');
  const release = database.prepare(
    "UPDATE outbox_rows INDEXED BY outbox_dependents SET blocked = 0 WHERE waits_for = ? AND state = 'waiting' AND blocked = 1",
  );
  const ended = database.prepare(
    'SELECT * FROM outbox_rows WHERE sequence BETWEEN ? AND ? AND ended IS NOT NULL ORDER BY sequence',
  );
  const log = database.prepare('INSERT INTO outbox_receipts (position, id, line) VALUES (?, ?, ?)');
  const mark = database.prepare('UPDATE outbox_rows SET ended = NULL WHERE sequence BETWEEN ? AND ?');
  const values = CHANGED.map((name) => (name === 'ended' ? 1 : (row[name] ?? null)));
  let position = 0;
  /** @typedef {{ id: string, sequence: number }} Added */
  const rangeOf = (/** @type {readonly Added[]} */ rows) => [rows[0]?.sequence ?? 0, rows.at(-1)?.sequence ?? 0];
  return {
    close: () => database.close(),
    enqueue() {
      database.exec('BEGIN');
      const added = rowsOf(`D-${bets++}`, BACKLOG).map(({ id, reference, fingerprint, body }) => ({
        id,
        sequence: insert({ id, reference, fingerprint, body }),
      }));
      database.exec('COMMIT');
      return added;
    },
    /** @param {readonly Added[]} rows */
    drain(rows) {
      for (let next = 0; next < rows.length + CLAIMED; next += CLAIMED) {
        const now = Date.now();
        const [before, claimed] = [rows.slice(Math.max(0, next - CLAIMED), next), rows.slice(next, next + CLAIMED)];
        database.exec('BEGIN IMMEDIATE');
        for (const { id, sequence } of before) {
          progress.get(id);
          end.run(...values, now, sequence);
          release.run(id);
        }
        for (const { sequence } of claimed) claim.run(now, now, sequence);
        read.all(...rangeOf(claimed));
        database.exec('COMMIT');
        look();
      }
      for (let next = 0; next < rows.length; next += LOGGED) {
        database.exec('BEGIN IMMEDIATE');
        const [first = 0, last = 0] = rangeOf(rows.slice(next, next + LOGGED));
        for (const { id } of /** @type {{ id: string }[]} */ (ended.all(first, last))) {
          createHash('sha256').update(String(line)).digest('hex');
          log.run(position++, id, line ?? null);
        }
        mark.run(first, last);
        database.exec('COMMIT');
        look();
      }
    },
  };
}

async function draining() {
  const { nodeTransport } = await load('transport-node');
  await drainingBy('default transport', promises.drain, {}, 0.85);
  await drainingBy('nodeTransport()', promises.drainFast, { transport: nodeTransport() }, 1);
}

/**
 * @param {string} name
 * @param {import('./promises.js').Promised} promised
 * @param {Parameters<typeof clientOf>[1]} options
 * @param {number} until as in `Rounds`
 */
async function drainingBy(name, promised, options, until) {
  const gateway = await startProcess(new URL('outbox-gateway.js', import.meta.url));
  const url = `http://127.0.0.1:${gateway.first}`;
  const client = await clientOf(url, options);
  const opened = await openOutboxes(url, options);
  const byClient = async () => {
    const left = Array.from({ length: BACKLOG }, nextBet);
    const lane = async () => {
      for (let report = left.pop(); report; report = left.pop()) await client.reportBetEvent(report);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  };
  const drains = opened.map(({ build, outbox }) => ({
    key: `drain${build.key}`,
    name: nameOf('outbox', build),
    async turn() {
      await outbox.reportAll(
        Array.from({ length: BACKLOG }, () => ({ operation: 'reportBetEvent', payload: nextBet() })),
      );
      return timed(BACKLOG, () => outbox.drain());
    },
  }));
  // They warm up, and leave a drained row.
  for (const { turn } of drains) await turn();
  const statements = await openStatements(opened[0]?.file ?? '');
  const asked = ask([promised, 'drain', 'bound'], ...slipOf(`SQLite, draining a backlog, ${name}`, 'drain'));
  const results = await compare(
    [
      { key: 'alone', name: 'client alone', turn: () => timed(BACKLOG, byClient) },
      ...drains,
      {
        key: 'bound',
        name: 'client alone, then the bare statements of what the outbox guarantees',
        async turn() {
          const rows = statements.enqueue();
          return timed(BACKLOG, async () => {
            await byClient();
            statements.drain(rows);
          });
        },
      },
    ],
    { until, neededAfter: asked.neededAfter },
  );
  asked.answer(results);
  tell(`SQLite: draining ${whole(BACKLOG)} reports, ${CONCURRENCY} at once, ${name}`, table(results, 'alone'));
  statements.close();
  for (const { store } of opened) await store.close?.();
  await gateway.stop();
}

/** @param {string} key @param {number} waiting */
async function claiming(key, waiting) {
  const store = await openStore();
  for (let added = 0; added < waiting; added += 10_000)
    await store.enqueue(rowsOf(`W-${added}`, Math.min(10_000, waiting - added)));
  return { close: () => store.close?.(), contender: turns(key, `${whole(waiting)} waiting`, store) };
}

async function claims() {
  const [few, many] = [await claiming('few', FEW), await claiming('many', MANY)];
  const asked = ask([promises.sqliteClaim, 'many', 'few']);
  const results = await compareHere([few.contender, many.contender], { neededAfter: asked.neededAfter, until: 0.6 });
  asked.answer(results);
  tell(`SQLite: turns, ${CLAIMED} rows written back and ${CLAIMED} claimed`, table(results, 'few'));
  await few.close();
  await many.close();
}

try {
  for (const part of [enqueueing, claims, draining]) if (isAsked(part.name)) await part();
} finally {
  await rm(folder, { recursive: true });
}
