// The cost of a report: processor time of the server and of the process, statements and write-ahead log, from its
// enqueueing until it is recorded. Beside two job queues that keep jobs in PostgreSQL, on the same server with the same
// durability; each job sends the same report with the same client.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Logger, makeWorkerUtils, runOnce } from 'graphile-worker';
import pg from 'pg';
import PgBoss from 'pg-boss';
import { startPostgres } from '../test/support/postgres-server.js';
import { load } from './builds.js';
import { compare, ratios } from './measure.js';
import { sizeOf } from './options.js';
import { startProcess } from './process.js';
import { ask, promises, tell } from './promises.js';
import { bet, clientOf } from './reports.js';
import { median } from './statistics.js';
import { postgresStore } from './stores.js';
import { fixed, markdownTable, whole } from './words.js';

const CONCURRENCY = 8;
const REPORTS = sizeOf(400, 20);
const QUEUE = 'reports';

const server = await startPostgres({ fsync: true, flags: ['-c', 'shared_preload_libraries=pg_stat_statements'] });
const gateway = await startProcess(new URL('outbox-gateway.js', import.meta.url));
const { nodeTransport } = await load('transport-node');
const client = await clientOf(`http://127.0.0.1:${gateway.first}`, { transport: nodeTransport() });

/** A database of its own for each contender, so that the server counts their statements apart. @param {string} name */
async function newDatabase(name) {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await admin.end();
  const connectionString = server.url.replace(/\/postgres$/, `/${name}`);
  const pool = new pg.Pool({ connectionString, max: CONCURRENCY });
  pool.on('error', () => {});
  return { connectionString, pool };
}

let reports = 0;
const nextBet = () => {
  reports += 1;
  return bet(`Q-${reports}`);
};
/** @param {unknown} job */
const send = (job) => client.reportBetEvent(/** @type {ReturnType<typeof bet>} */ (job));

async function outboxContender() {
  const { pool } = await newDatabase('outbox');
  const { createOutbox } = await load('outbox');
  const store = await postgresStore({ database: pool });
  const outbox = createOutbox({ client, store, concurrency: CONCURRENCY });
  return {
    enqueue: () => outbox.reportBetEvent(nextBet()),
    drain: () => outbox.drain(),
    async stop() {
      await outbox.stop();
      await store.close?.();
      await pool.end();
    },
  };
}

async function bossContender() {
  const { connectionString, pool } = await newDatabase('boss');
  await pool.end();
  const boss = new PgBoss({ connectionString, max: CONCURRENCY, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    enqueue: () => boss.send(QUEUE, nextBet()),
    async drain() {
      for (;;) {
        const jobs = await boss.fetch(QUEUE, { batchSize: CONCURRENCY });
        if (jobs.length === 0) return;
        await Promise.all(jobs.map(({ data }) => send(data)));
        const ids = jobs.map(({ id }) => id);
        await boss.complete(QUEUE, ids);
      }
    },
    stop: () => boss.stop({ graceful: true, wait: true }),
  };
}

/** It writes a line for each job. */
const silent = new Logger(() => () => {});

async function graphileContender() {
  const { pool } = await newDatabase('graphile');
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent });
  await utils.migrate();
  return {
    enqueue: () => utils.addJob(QUEUE, nextBet()),
    drain: () =>
      runOnce({
        pgPool: pool,
        logger: silent,
        concurrency: CONCURRENCY,
        taskList: { [QUEUE]: async (job) => void (await send(job)) },
      }),
    async stop() {
      await utils.release();
      await pool.end();
    },
  };
}

/** The fields of `/proc/<pid>/stat`, after the name, with the ticks of ended children in user and in system time. */
const ENDED = [13, 14];
const TICK_MS = 10;

/** The processor time of the server and of all its processes, those that have ended too, in milliseconds. */
function serverTime() {
  const statOf = (/** @type {string} */ pid) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const postmaster = readFileSync(join(server.folder, 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  /** @param {string} pid */
  const timeOf = (pid) => {
    try {
      if (pid !== postmaster && statOf(pid)[1] !== postmaster) return 0;
      return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
    } catch {
      // It has ended.
      return 0;
    }
  };
  const stat = statOf(postmaster);
  // Read before the running ones, so that a process which ends meanwhile does not count twice.
  const ended = ENDED.map((field) => Number(stat[field]) * TICK_MS);
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(timeOf);
  return [...ended, ...running].reduce((sum, one) => sum + one, 0);
}

/** @typedef {Record<'statements' | 'wal', number>} Counts */

const counting = new pg.Client({ connectionString: server.url });
await counting.connect();
await counting.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
/** The work of the server for a database. @param {string} name @returns {Promise<Counts>} */
async function countsOf(name) {
  const { rows } = await counting.query(
    `SELECT (SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements AS s WHERE s.dbid = d.oid AND s.toplevel)::float8 AS statements,
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal
    FROM pg_database AS d WHERE d.datname = $1`,
    [name],
  );
  return rows[0];
}

/** @typedef {Record<keyof Counts | 'server' | 'process', number>} Cost for each report */

/**
 * @param {string} key the name of its database
 * @param {string} name
 * @param {{ enqueue: () => Promise<unknown>, drain: () => Promise<unknown>, stop: () => Promise<unknown> }} contender
 */
function lane(key, name, contender) {
  /** @type {Cost[]} */
  const costs = [];
  const turn = async () => {
    const before = await countsOf(key);
    const [serverBefore, cpu, began] = [serverTime(), process.cpuUsage(), performance.now()];
    for (let report = 0; report < REPORTS; report += 1) await contender.enqueue();
    await contender.drain();
    const took = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    const [ofServer, ofProcess] = [serverTime() - serverBefore, (user + system) / 1_000];
    const after = await countsOf(key);
    const each = (/** @type {number} */ figure) => figure / REPORTS;
    costs.push({
      server: each(ofServer),
      process: each(ofProcess),
      statements: each(after.statements - before.statements),
      wal: each(after.wal - before.wal),
    });
    return { times: REPORTS, took, processor: ofServer + ofProcess };
  };
  return { key, name, turn, costs, stop: contender.stop };
}

const lanes = [
  lane('outbox', 'outbox', await outboxContender()),
  lane('boss', 'pg-boss', await bossContender()),
  lane('graphile', 'graphile-worker', await graphileContender()),
];
try {
  for (const { turn } of lanes) await turn();
  for (const { costs } of lanes) costs.length = 0;
  const asked = ask([promises.costBoss, 'outbox', 'boss'], [promises.costGraphile, 'outbox', 'graphile']);
  const results = await compare(lanes, { neededAfter: asked.neededAfter });
  asked.answer(results);
  tell(
    `PostgreSQL: what a report costs, from its enqueueing until it is recorded, ${CONCURRENCY} at once`,
    markdownTable([
      ['', 'ms of processor', 'of the server', 'of the process', 'statements', 'bytes of WAL', 'as much'],
      ...lanes.map(({ key, name, costs }) => {
        const of = (/** @type {keyof Cost} */ what) => median(costs.map((cost) => cost[what]));
        return [
          name,
          fixed(of('server') + of('process')),
          fixed(of('server')),
          fixed(of('process')),
          fixed(of('statements'), 1),
          whole(of('wal')),
          `${fixed(median(ratios(results, 'outbox', key).processor))} ×`,
        ];
      }),
    ]),
  );
} finally {
  for (const { stop } of lanes) await stop();
  await counting.end();
  await gateway.stop();
  await server.stop();
}
