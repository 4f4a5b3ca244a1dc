// The cost of very many rows in PostgreSQL: the size of tables and indexes, turns, enqueueing, `stats`, vacuum and
// `prune`. Not a part of `npm run bench`: it takes about ten minutes and 10 GB of disk. `node bench/million.js
// [--waiting 1000000] [--recorded 10000000]`
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createOutbox } from '../dist/outbox.js';
import { startPostgres } from '../test/support/postgres-server.js';
import { inMs, msOf, msOfEach, tellProgress } from './durations.js';
import { MACHINE, startProcess } from './process.js';
import { bet, CLAIMED, clientOf, NOWHERE, rowsOf } from './reports.js';
import { median, quantile } from './statistics.js';
import { postgresStore } from './stores.js';
import { fixed, markdownTable, whole } from './words.js';

const { values } = parseArgs({
  options: { waiting: { type: 'string', default: '1000000' }, recorded: { type: 'string', default: '10000000' } },
});
const [WAITING, RECORDED] = [Number(values.waiting), Number(values.recorded)];
/** A tenth of the recorded reports are old enough to be pruned, and have their lines in the log. */
const OLD = Math.round(RECORDED / 10);
const OLD_MS = 500 * 24 * 60 * 60 * 1000;
/** Old enough that old reports fill whole chunks. */
const CHUNK = Math.min(500_000, OLD);
const TURNS = Math.min(2_000, Math.floor(WAITING / CLAIMED / 4));
const READS = 15;
const SCHEMA = 'location_sdk';

// The settings of a server with 8 GB for itself. All others are PostgreSQL's defaults.
const server = await startPostgres({
  fsync: true,
  flags: ['-c', 'shared_buffers=2GB', '-c', 'max_wal_size=8GB', '-c', 'maintenance_work_mem=256MB'],
});
const pool = new pg.Pool({ connectionString: server.url, max: 8 });
pool.on('error', () => {});

const one = async (/** @type {string} */ text, /** @type {unknown[]} */ given = []) =>
  (await pool.query(text, given)).rows[0];
const both = (/** @type {number[]} */ found) => `${inMs(median(found))}; ${inMs(quantile(found, 0.99))}`;
const seconds = (/** @type {number} */ figure) => `${fixed(figure / 1_000, 1)} s`;
const giga = (/** @type {number} */ bytes) => (bytes < 1e9 ? `${whole(bytes / 1e6)} MB` : `${fixed(bytes / 1e9)} GB`);

/**
 * The real tables, filled by the server itself. References are random, like UUIDs.
 * @param {import('./stores.js').OutboxStore} store
 */
async function fill(store) {
  await store.bind([{ account: 'default', environment: 'staging', gateway: NOWHERE }]);
  const [row] = rowsOf('00000000-0000-0000-0000-000000000000', 1);
  // Only while rows are made: the measured work waits for the disk.
  const unsafely = async (/** @type {'on' | 'off'} */ safe) => {
    for (const name of ['fsync', 'full_page_writes']) await pool.query(`ALTER SYSTEM SET ${name} = ${safe}`);
    await pool.query('SELECT pg_reload_conf()');
  };
  const columns = 'id, account, environment, operation, reference, fingerprint, enqueued_at';
  const made = (/** @type {string} */ at) =>
    `'default:staging:reportBetEvent:' || made.reference, 'default', 'staging', 'reportBetEvent', made.reference, '${row?.fingerprint}', ${at}`;
  const references = 'FROM (SELECT gen_random_uuid()::text AS reference FROM generate_series(1, $1)) AS made';
  const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  await unsafely('off');
  for (let done = 0; done < RECORDED; done += CHUNK) {
    const rows = Math.min(CHUNK, RECORDED - done);
    const at = done < OLD ? `${now} - ${OLD_MS}` : now;
    await pool.query(
      `INSERT INTO ${SCHEMA}.reports (${columns}, state, fence, attempts, in_doubt, doubt_before, due_at, changed_at, outcome, message)
      SELECT ${made(at)}, 'recorded', 1, 1, false, false, ${at}, ${at}, 'recorded', 'Bet event reported successfully' ${references}`,
      [rows],
    );
    tellProgress(`${whole(done + rows)} recorded`);
  }
  await pool.query(
    `INSERT INTO ${SCHEMA}.receipts (position, id, line) SELECT r.sequence - 1, r.id,
      json_build_object('account', 'default', 'attempts', 1, 'endedAt', '2025-07-10T12:00:00.000Z', 'enqueuedAt', '2025-07-10T12:00:00.000Z', 'environment', 'staging', 'fingerprint', r.fingerprint,
        'hash', r.fingerprint, 'id', r.id, 'index', r.sequence - 1, 'operation', r.operation, 'outcome', 'recorded', 'previous', r.fingerprint, 'reference', r.reference, 'version', 1)
      FROM ${SCHEMA}.reports AS r WHERE r.sequence <= $1`,
    [OLD],
  );
  tellProgress(`${whole(OLD)} receipts`);
  for (let done = 0; done < WAITING; done += CHUNK) {
    const rows = Math.min(CHUNK, WAITING - done);
    await pool.query(
      `WITH added AS (INSERT INTO ${SCHEMA}.reports (${columns}, body) SELECT ${made(now)}, $2 ${references} RETURNING sequence, enqueued_at)
      INSERT INTO ${SCHEMA}.queue (sequence, account, environment, due_at, changed_at) SELECT sequence, 'default', 'staging', enqueued_at, enqueued_at FROM added`,
      [rows, row?.body],
    );
    tellProgress(`${whole(done + rows)} waiting`);
  }
  await pool.query(`INSERT INTO ${SCHEMA}.tally (account, part, recorded, attempts) VALUES ('default', 0, $1, $1)`, [
    RECORDED,
  ]);
  await pool.query('CHECKPOINT');
  await unsafely('on');
}

const TABLES = ['reports', 'queue', 'receipts'];

/** @param {number[]} rows of each table */
async function sizes(rows) {
  const found = [];
  for (const [index, name] of TABLES.entries()) {
    const { data, indexes } = await one(
      'SELECT pg_table_size($1::regclass)::float8 AS data, pg_indexes_size($1::regclass)::float8 AS indexes',
      [`${SCHEMA}.${name}`],
    );
    const count = rows[index] ?? 0;
    found.push([`\`${name}\`, ${whole(count)} rows`, giga(data), giga(indexes), whole((data + indexes) / count)]);
  }
  return found;
}

/**
 * Turns that record the rows claimed by the turn before, and claim again.
 * @param {import('./stores.js').OutboxStore} store
 */
function turns(store) {
  /** @type {Parameters<import('./stores.js').OutboxStore['turn']>[0]['writes'][number][]} */
  let writes = [];
  return async () => {
    const { claimed } = await store.turn({
      writes,
      claim: {
        accounts: [{ account: 'default', gateways: { staging: NOWHERE }, busy: 0 }],
        limit: CLAIMED,
        leaseMs: 600_000,
      },
    });
    if (claimed.length < CLAIMED) throw new Error(`a turn claimed ${claimed.length} of ${CLAIMED} rows`);
    writes = claimed.map((row) => ({
      id: row.id,
      expected: { state: row.state, fence: row.fence },
      change: { ...row, state: 'recorded', inDoubt: false, delayMs: 0, outcome: 'recorded', keepBody: false },
    }));
  };
}

const vacuum = (/** @type {string} */ table) => msOf(() => pool.query(`VACUUM ANALYZE ${SCHEMA}.${table}`));

async function measure() {
  const store = await postgresStore({ database: pool, notify: false });
  await fill(store);
  const filled = { reports: await vacuum('reports'), queue: await vacuum('queue'), receipts: await vacuum('receipts') };
  tellProgress('vacuumed');
  const table = await sizes([RECORDED + WAITING, WAITING, OLD]);
  console.log(markdownTable([['with its indexes', 'table', 'indexes', 'bytes a row'], ...table]), '\n');

  const outbox = createOutbox({ client: await clientOf(NOWHERE), store });
  const turn = turns(store);
  await msOfEach(20, turn);
  const rows = [['figure', 'median; 99th of 100']];
  const stats = async (/** @type {string} */ when) =>
    rows.push([`\`stats()\`${when}`, both(await msOfEach(READS, () => outbox.stats()))]);
  const turned = async (/** @type {string} */ when, times = TURNS) =>
    rows.push([`a turn: ${CLAIMED} recorded, ${CLAIMED} claimed${when}`, both(await msOfEach(times, turn))]);
  await stats('');
  await turned('');
  let bets = 0;
  const enqueued = await msOfEach(TURNS, () => {
    bets += 1;
    return outbox.reportBetEvent(bet(`M-${bets}`));
  });
  rows.push(['enqueueing one, the commit included', both(enqueued)]);
  await turned(`, after ${whole(TURNS)} turns without a vacuum`);
  await stats(', the same');
  rows.push(['`VACUUM` of `queue`, after all of these', seconds(await vacuum('queue'))]);
  tellProgress('turned');

  const child = await startProcess(new URL('million-prune.js', import.meta.url), { words: [server.url] });
  let pruning = true;
  const pruned = msOf(() => child.ask('start')).finally(() => {
    pruning = false;
  });
  const beside = [];
  // Not at full speed: a busy worker that leaves the disk some time.
  for (let left = WAITING / CLAIMED / 2; pruning && left > 0; left -= 1) {
    beside.push(await msOf(turn));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const took = await pruned;
  await child.stop();
  const { count } = await one(`SELECT count(*)::float8 AS count FROM ${SCHEMA}.reports WHERE sequence <= $1`, [OLD]);
  if (count !== 0) throw new Error(`${count} old reports were not pruned`);
  rows.push([
    `\`prune\` of ${whole(OLD)} reports, beside a worker`,
    `${seconds(took)}: ${whole(OLD / (took / 1_000))} a second`,
  ]);
  rows.push(['a turn meanwhile', both(beside)]);
  const { autovacuums } = await one(
    "SELECT sum(autovacuum_count)::float8 AS autovacuums FROM pg_stat_user_tables WHERE schemaname = $1 AND relname IN ('reports', 'queue')",
    [SCHEMA],
  );
  rows.push(['`VACUUM` of `reports` after it', seconds(await vacuum('reports'))]);
  rows.push(['autovacuums of `reports` and `queue` until then', whole(autovacuums)]);
  rows.push([
    '`VACUUM` of `reports`, `queue`, `receipts` when just filled',
    [filled.reports, filled.queue, filled.receipts].map(seconds).join(', '),
  ]);
  console.log(markdownTable(rows), '\n');
  tellProgress('pruned');
}

console.log(`${MACHINE}; ${(await one('SELECT version() AS version')).version.split(' ').slice(0, 2).join(' ')}\n`);
try {
  await measure();
} finally {
  await pool.end();
  await server.stop();
}
