// The cost of the operator's console over a large outbox in PostgreSQL: overview, groups, search, and the retry of a
// whole group beside a worker. Not a part of `npm run bench`: it takes some minutes. `node bench/console.js [--rows
// 1000000] [--quarantined 50000]`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import pg from 'pg';
import { startPostgres } from '../test/support/postgres-server.js';
import { inMs, msOf, msOfEach, tellProgress } from './durations.js';
import { MACHINE } from './process.js';
import { CLAIMED, check, NOWHERE, rowsOf } from './reports.js';
import { median, quantile } from './statistics.js';
import { postgresStore } from './stores.js';
import { fixed, markdownTable, whole } from './words.js';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, quarantined: { type: 'string', default: '50000' } },
});
const [ROWS, QUARANTINED] = [Number(values.rows), Number(values.quarantined)];
const SCHEMA = 'location_sdk';
const CHUNK = 250_000;
const READS = 15;
const TURNS = 200;
const SAID =
  'reportBetEvent %s: the gateway refused the report (HTTP 422). The gateway said: "amount must be an integer".';

const server = await startPostgres({
  fsync: true,
  flags: ['-c', 'shared_buffers=1GB', '-c', 'max_wal_size=4GB', '-c', 'maintenance_work_mem=256MB'],
});
const pool = new pg.Pool({ connectionString: server.url, max: 8 });
pool.on('error', () => {});

/** The operator's functions have no separate entry in the package. */
async function consoleOver(/** @type {object} */ store) {
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-console-'));
  const outfile = join(folder, 'operator.mjs');
  const entry = fileURLToPath(new URL('../src/operator/operator.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  /** @type {typeof import('../src/operator/operator.js')} */
  const { createOperator } = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return createOperator({ over: store });
}

/**
 * The real tables, filled by the server itself. Quarantined rows are mixed with the others, as after a wrong deploy in
 * a busy hour.
 */
async function fill() {
  const [row] = rowsOf('00000000-0000-0000-0000-000000000000', 1);
  const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  for (let done = 0; done < ROWS; done += CHUNK) {
    await pool.query(
      `WITH made AS (SELECT gen_random_uuid()::text AS reference FROM generate_series(1, $1)),
      added AS (
        INSERT INTO ${SCHEMA}.reports (id, account, environment, operation, reference, fingerprint, enqueued_at, body)
        SELECT 'default:staging:reportBetEvent:' || reference, 'default', 'staging', 'reportBetEvent', reference, '${row?.fingerprint}', ${now}, $2 FROM made
        RETURNING sequence, enqueued_at, reference),
      judged AS (SELECT *, random() < $3 AS bad FROM added)
      INSERT INTO ${SCHEMA}.queue (sequence, account, environment, due_at, changed_at, state, fence, attempts, problem)
      SELECT sequence, 'default', 'staging', enqueued_at, enqueued_at, CASE WHEN bad THEN 'quarantined' ELSE 'waiting' END, bad::integer, bad::integer,
        CASE WHEN bad THEN jsonb_build_object('code', 'unprocessable', 'status', 422, 'message', format('${SAID}', reference), 'requestId', 'req-' || reference) END
      FROM judged ORDER BY sequence`,
      [Math.min(CHUNK, ROWS - done), row?.body, QUARANTINED / ROWS],
    );
    tellProgress(`${whole(Math.min(ROWS, done + CHUNK))} rows`);
  }
  await pool.query(`VACUUM ANALYZE ${SCHEMA}.queue`);
  await pool.query(`VACUUM ANALYZE ${SCHEMA}.reports`);
}

/**
 * Turns that record the rows claimed by the turn before, and claim again.
 * @param {import('./stores.js').OutboxStore} store
 */
function turns(store) {
  /** @type {Parameters<import('./stores.js').OutboxStore['turn']>[0]['writes'][number][]} */
  let writes = [];
  return async () => {
    const accounts = [{ account: 'default', gateways: { staging: NOWHERE }, busy: 0 }];
    const { claimed } = await store.turn({ writes, claim: { accounts, limit: CLAIMED, leaseMs: 600_000 } });
    writes = claimed.map((row) => ({
      id: row.id,
      expected: { state: row.state, fence: row.fence },
      change: { ...row, state: 'recorded', inDoubt: false, delayMs: 0, outcome: 'recorded', keepBody: false },
    }));
  };
}

async function measure() {
  const store = await postgresStore({ database: pool, notify: false });
  await store.bind([{ account: 'default', environment: 'staging', gateway: NOWHERE }]);
  await fill();
  const data = await consoleOver(store);
  const rows = [['figure', 'median; slowest']];
  const slowest = (/** @type {number[]} */ found) => Math.max(...found);
  const note = (/** @type {string} */ name, /** @type {number[]} */ found) => {
    rows.push([name, `${inMs(median(found))}; ${inMs(slowest(found))}`]);
    return median(found);
  };

  rows.push(['the first overview of a process', inMs(await msOf(() => data.overview()))]);
  const overview = note('overview', await msOfEach(READS, () => data.overview()));
  const counts = note('counts, as `stats()` reads them', await msOfEach(READS, () => store.counts()));
  const groups = note('groups', await msOfEach(READS, () => data.groups()));
  const [group] = (await data.groups()).groups;
  if (!group) throw new Error('no group was found');
  const filters = /** @type {const} */ ({
    everything: {},
    'quarantined ones': { state: 'quarantined' },
    'those in flight': { state: 'in-flight' },
    'what nothing matches': { state: 'dismissed' },
    'a time': { from: Date.now() - 60_000, to: Date.now() },
    'a reference': { text: group.example.reference },
    'a group': { group },
  });
  let search = 0;
  for (const [name, filter] of Object.entries(filters))
    search = Math.max(search, note(`a page of search: ${name}`, await msOfEach(READS, () => data.search(filter))));
  tellProgress('read');

  const turn = turns(store);
  await msOfEach(20, turn);
  const alone = await msOfEach(TURNS, turn);
  const { account, environment, code, words } = group;
  const request = {
    decision: 'decision-of-the-bench',
    action: /** @type {const} */ ('retry'),
    who: 'bench',
    reason: 'the deploy was mended',
  };
  let deciding = true;
  let touched = 0;
  const took = msOf(async () => {
    for (let more = true; more; ) {
      const progress = await data.decide({ ...request, selection: { group: { account, environment, code, words } } });
      touched = progress.decision.touched;
      more = progress.more;
    }
  }).finally(() => {
    deciding = false;
  });
  const beside = [];
  while (deciding) beside.push(await msOf(turn));
  const retried = await took;
  const slower = median(beside) / median(alone);
  rows.push([`retry of ${whole(touched)} reports, beside a worker`, `${fixed(retried / 1_000, 1)} s`]);
  note('a turn of the worker', alone);
  note('a turn meanwhile', beside);
  rows.push([
    '99th of 100 turns, alone and meanwhile',
    `${inMs(quantile(alone, 0.99))}, ${inMs(quantile(beside, 0.99))}`,
  ]);
  let undone = 0;
  const back = await msOf(async () => {
    for (let more = true; more; ) {
      const { decision, more: left } = await data.undo({
        decision: 'undoing-of-the-bench',
        of: request.decision,
        who: 'bench',
        reason: 'a mistake',
      });
      undone = decision.touched;
      more = left;
    }
  });
  rows.push([`taking back ${whole(undone)} of them`, `${fixed(back / 1_000, 1)} s`]);
  console.log(markdownTable(rows), '\n');
  check(
    `overview and groups in 300 ms, counts too: ${inMs(overview)}, ${inMs(groups)}, ${inMs(counts)}`,
    Math.max(overview, groups, counts) < 300,
  );
  check(`a page of search in 100 ms: ${inMs(search)} at most`, search < 100);
  check(`${whole(touched)} reports retried in 10 s: ${fixed(retried / 1_000, 1)} s`, retried < 10_000);
  check(`a turn is at most half as slow again meanwhile: ${fixed(slower)} ×`, slower <= 1.5);
  if (touched < QUARANTINED * 0.9) throw new Error(`only ${touched} reports were retried`);
}

console.log(`${MACHINE}; ${whole(ROWS)} rows, ${whole(QUARANTINED)} quarantined\n`);
try {
  await measure();
} finally {
  await pool.end();
  await server.stop();
}
