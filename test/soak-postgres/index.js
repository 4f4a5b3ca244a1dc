// Four instances of a backend with two licences over one PostgreSQL. They are killed and stopped, the server is
// restarted as after a power failure, its network is cut, and each licence's gateway loses answers after recording and
// refuses all requests for a while. They dismiss, reopen and replace bets that the gateway refuses. All pauses and
// bindings are deleted again and again. At the end the gateways' ledgers and journal, the operator's records and the
// outbox must agree, report by report. `npm run soak:postgres` builds the package first if needed. The server is the
// one from npm, or the one in POSTGRES_BIN. With PGBOUNCER, the path of that program, the workers reach it through
// that. `npm run soak:postgres -- --reports 1000 --kills 10 --restarts 1 --seed 7`; the exit code is 0 if all agree.
// Otherwise the data is kept.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { startBystanders } from '../soak/bystanders.js';
import { createCrew } from '../soak/crew.js';
import { startGateways } from '../soak/licences.js';
import { readOptions } from '../soak/options.js';
import { createRandom, sleep } from '../soak/random.js';
import { endWith, tellTroubles } from '../soak/verdict.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { startPostgres } from '../support/postgres-server.js';
import { TABLES } from './bets.js';
import { startProxy } from './proxy.js';
import { createTrouble } from './trouble.js';
import { judge } from './verdict.js';

const LOOK_MS = 20;
/** A worker is killed once this part of its share is done, or after this time. */
const PACE = 0.9;
const LONGEST_LIFE_MS = 15_000;
const CUT_MS = 4_000;

const { reports, kills, restarts, workers, seed } = readOptions({
  reports: 20_000,
  kills: 200,
  restarts: 5,
  workers: 4,
});
const server = await startPostgres({ fsync: true });
const { PGBOUNCER } = process.env;
const pooler = PGBOUNCER ? await startPgBouncer(PGBOUNCER, server.url) : undefined;
const proxy = await startProxy(pooler?.port ?? server.port);
const watching = new pg.Pool({ connectionString: server.url });
watching.on('error', () => {});
const watched = await postgresStore({ database: watching });
const gateways = await startGateways(seed, (ids) =>
  watched.get(ids).then(
    (rows) => rows.map((row) => row?.state),
    () => [],
  ),
);
const address = new URL(server.url);
address.port = String(proxy.port);
const books = new pg.Client({ connectionString: server.url });
await books.connect();
await books.query(TABLES);
await books.end();

const chance = createRandom(seed);
const crew = createCrew({
  worker: new URL('worker.js', import.meta.url),
  taskOf: (name, isLast) => {
    const share = Math.ceil((reports * (crew.counts.killed + 2 * workers)) / Math.max(1, kills));
    // A pooler in transaction mode does not pass notifications on.
    const listening = pooler ? server.url : address.href;
    return {
      database: address.href,
      listening,
      destinations: gateways.destinations,
      name,
      reports: isLast ? reports : Math.min(reports, share),
      isLast,
    };
  },
  kills,
  workers,
  chance,
  stoppedMs: [4_200, 5_500],
  isEnough: () => trouble.isEnough(),
  async worked() {
    const share = (PACE * reports * crew.counts.killed) / Math.max(1, kills);
    const began = performance.now();
    while (gateways.done() < share && performance.now() - began < LONGEST_LIFE_MS) await sleep(LOOK_MS);
  },
  progress,
});
const trouble = createTrouble({
  server,
  proxy,
  gateways,
  chance,
  restarts,
  cutMs: CUT_MS,
  progress: () => gateways.done() / reports,
});

function progress() {
  const { killed } = crew.counts;
  const line = `soak: ${gateways.done()}/${reports} at the gateways, ${killed}/${kills} killed, ${trouble.counts.restarts}/${restarts} restarts, ${trouble.counts.cuts}/1 cut`;
  if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
  else if (killed % Math.ceil(kills / 10) === 0) process.stderr.write(`${line}\n`);
}

/** Keeps all data and ends. @param {string[]} problems @param {object} [table] */
async function fail(problems, table = {}) {
  crew.end();
  await pooler?.stop();
  await server.halt();
  const file = join(server.folder, 'soak.json');
  await writeFile(
    file,
    JSON.stringify({ seed, reports, kills, restarts, workers, table, errors: [...crew.errors], problems }, null, 2),
  );
  console.error(`soak: FAILED; seed ${seed}; the database is kept in ${server.folder}, the results in ${file}`);
  endWith(problems);
}
process.once('SIGINT', () => void fail(['it was interrupted']));
process.on('uncaughtException', (error) => void fail([`the soak itself failed: ${error.stack}`]));

console.log(
  `soak: seed ${seed}, ${reports} reports, ${kills} kills, ${restarts} restarts of the server, ${workers} workers on ${server.folder}`,
);
const began = performance.now();
const bystanders = startBystanders(
  ['status.js', 'forgetful.js'].map((name) => new URL(name, import.meta.url)),
  server.url,
);
const happening = trouble
  .run()
  .catch((error) => fail([`the server, the network or the gateways could not be disturbed: ${error}`]));
await crew.killAll();
const finishing = crew.finish(workers);
while (gateways.done() < reports && (await Promise.race([finishing, sleep(100)])) === undefined);
trouble.end();
await happening;
const isSent = await finishing;
const { looked, problems: seen } = await bystanders.stop();
if (process.stderr.isTTY) process.stderr.write('\n');
const seconds = Math.round((performance.now() - began) / 1_000);

const { accepted, told, errors, counts } = crew;
await watched.close?.();
await watching.end();
const { problems, recorded, quarantined, decided, booked, alreadyRecorded, receipts } = await judge({
  url: server.url,
  accepted,
  gateways,
});
problems.push(...crew.problems, ...seen);
if (!isSent) problems.push('the waiting reports could not be sent at the end');
const held = recorded.size + quarantined.size + decided.ids.size;
if (held < reports) problems.push(`there are ${held} reports only`);
// A worker that lives shortly may get no answer at all.
for (const error of errors.keys())
  if (!error.endsWith(' connection') && !error.startsWith('No attempt for '))
    problems.push(`a worker reported an unexpected error: ${error}`);
// A connection that breaks under a statement fails that statement, and its pool reports no loss.
if (restarts > 0 && !told.disconnected && errors.size === 0)
  problems.push('no worker lost a connection: nothing was tested');

const table = {
  'reports in the outbox, recorded': recorded.size,
  'quarantined, since the gateway refused them': quarantined.size,
  'of them with a bet or a settlement in one transaction': booked.size,
  'decisions about bets and their settlements': decided.decisions,
  'transactions rolled back on purpose': told.rolledBack ?? 0,
  'receipts in the log, verified': receipts,
  'processes killed (SIGKILL)': counts.killed,
  'processes stopped beyond their lease': counts.stopped,
  'restarts of the server (immediate)': trouble.counts.restarts,
  'cuts of the network': trouble.counts.cuts,
  'connections that workers lost': told.disconnected ?? 0,
  'transactions and calls that workers repeated': told.again ?? 0,
  'times in which a gateway refused all requests': trouble.counts.periods,
  'answers lost after recording': gateways.lost(),
  'reports found recorded already': alreadyRecorded,
  'late results that were not written': told.late ?? 0,
  'errors reported by workers': told.error ?? 0,
  seconds,
};
await gateways.close();
tellTroubles(gateways.struck);
for (const [what, count] of Object.entries(table)) console.log(`${what.padEnd(56)}${String(count).padStart(9)}`);
console.log(`soak: read, and deleted pauses and bindings, beside the workers: ${looked}`);
for (const [error, times] of errors) console.log(`soak: ${times} times: ${error}`);

if (problems.length > 0) await fail(problems, table);
await pooler?.stop();
await server.stop();
console.log('soak: the gateways, the records and the outbox agree, report by report');
process.exit(0);
