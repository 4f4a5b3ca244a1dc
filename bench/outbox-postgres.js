// The cost of an outbox in PostgreSQL: a report in the transaction of a bet compared with the bet alone; the delay
// until an idle outbox sends; delivery with one, two and four workers; a claim among few rows and among very many. It
// uses a real server whose commits wait for the disk. `node outbox-postgres.js --only enqueueing` measures one part.
import { cpus } from 'node:os';
import pg from 'pg';
import { startPostgres } from '../test/support/postgres-server.js';
import { builds, load, nameOf } from './builds.js';
import { compare, compareHere, ratios, table } from './measure.js';
import { isAsked, sizeOf } from './options.js';
import { startProcess } from './process.js';
import { ask, judge, promises, slipOf, tell } from './promises.js';
import { bet, CLAIMED, clientOf, NOWHERE, rowsOf, turns } from './reports.js';
import { median } from './statistics.js';
import { postgresStore } from './stores.js';
import { fixed, markdownTable, whole } from './words.js';

/** Above this processor use the machine is full, and more workers cannot deliver more. */
const FULL = 0.85;
/** The default of a worker, and the gateway of the guide to PostgreSQL: four of them leave this machine some time. */
const CONCURRENCY = 8;
const LATENCY_MS = 50;
const FEW = sizeOf(10_000, 100);
const MANY = sizeOf(1_000_000, 1_000);
const RECORDED = sizeOf(1_000_000, 1_000);
const BACKLOG = sizeOf(600, 200);
const COMMITS = sizeOf(100, 3);
const IDLE_MS = 50;
const MOST_MS = 120_000;

const server = await startPostgres({ fsync: true });
const pool = new pg.Pool({ connectionString: server.url, max: 8 });
// A pool that has ended may still have a closing connection when the server stops.
pool.on('error', () => {});
let bets = 0;

/** Twice: a commit at this disk's speed, and 1 ms slower, as with a disk or a standby across a network. */
async function enqueueing() {
  const slower = await startPostgres({ fsync: true, flags: ['-c', 'commit_delay=1000', '-c', 'commit_siblings=0'] });
  try {
    await adding('commits 1 ms slower', slower, 0.7, [
      promises.preparedSlower,
      promises.withinSlower,
      promises.bothSlower,
    ]);
  } finally {
    await slower.stop();
  }
  await adding('commits as fast as this disk', server, 1, [promises.prepared, promises.within, promises.both]);
}

const INSERT = 'INSERT INTO bets (id, user_id, amount, details, at) VALUES ($1, $2, $3, $4, now())';
/**
 * Writes the two rows of a report and checks nothing. A function, as the outbox has one: PostgreSQL keeps its plans, while
 * it plans a statement without a name each time.
 */
const BARE_FUNCTION = `CREATE FUNCTION bare_add(new_id text, new_reference text, new_body text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  added record;
BEGIN
  INSERT INTO location_sdk.reports (id, account, environment, operation, reference, fingerprint, body)
    VALUES (new_id, 'default', 'staging', 'reportBetEvent', new_reference, md5(new_reference) || md5(new_id), new_body)
    RETURNING sequence, enqueued_at INTO added;
  INSERT INTO location_sdk.queue (sequence, account, environment, due_at, changed_at)
    VALUES (added.sequence, 'default', 'staging', added.enqueued_at, added.enqueued_at);
  RETURN true;
END $$`;
const BARE_WITH_BET = `${INSERT} RETURNING bare_add('bare:' || $1, $1, $5)`;
const BARE = "SELECT bare_add('bare:' || $1, $1, $2)";

/**
 * The cost of a report in a transaction that inserts a bet, compared with one more row of the user's own, which is the
 * cost of any transaction.
 *
 * @param {string} title
 * @param {import('../test/support/postgres-server.js').PostgresServer} server
 * @param {number} until as in `Rounds`
 * @param {readonly [prepared: import('./promises.js').Promised, within: import('./promises.js').Promised, both: import('./promises.js').Promised]} promised
 */
async function adding(title, { url }, until, [prepared, within, both]) {
  const lent = new pg.Pool({ connectionString: url, max: 4 });
  // Sends a statement without waiting for the answer to the one before.
  const pipelined = new pg.Pool({ connectionString: url, max: 1, pipeline: true });
  // As above.
  for (const one of [lent, pipelined]) one.on('error', () => {});
  const opened = await Promise.all(
    builds.map(async (build) => {
      const { createOutbox } = await load('outbox', build);
      const { postgresStore: openBuilt } = await load('outbox-postgres', build);
      // Each build has a schema of its own. The first is the default one.
      const schema = build.key ? 'earlier_build' : 'location_sdk';
      const store = await openBuilt({ database: lent, schema });
      return { build, schema, outbox: createOutbox({ client: await clientOf(NOWHERE, {}, build), store }) };
    }),
  );
  const [{ outbox } = { outbox: undefined }] = opened;
  if (!outbox) throw new Error('no outbox was opened');
  await lent.query(
    'CREATE TABLE bets (id text PRIMARY KEY, user_id text NOT NULL, amount bigint NOT NULL, details jsonb NOT NULL, at timestamptz NOT NULL)',
  );
  await lent.query('CREATE INDEX bets_of_user ON bets (user_id, at)');
  await lent.query(BARE_FUNCTION);
  const [waiting, sending] = [await lent.connect(), await pipelined.connect()];
  /** @typedef {ReturnType<typeof bet>} Bet */
  const valuesOf = (/** @type {Bet} */ one) => [one.bet_id, one.user.user_id, one.amount, JSON.stringify(one)];
  const insert = (/** @type {pg.PoolClient} */ client, /** @type {Bet} */ one) => client.query(INSERT, valuesOf(one));
  const more = (/** @type {Bet} */ one) => ({ ...one, bet_id: `${one.bet_id}-more` });
  const next = () => {
    bets += 1;
    return bet(`B-${bets}`);
  };
  /** @param {string} key @param {string} name @param {pg.PoolClient} client @param {(one: Bet) => Promise<unknown>} work */
  const transactions = (key, name, client, work) => ({
    key,
    name,
    run: async (/** @type {number} */ times) => {
      for (let done = 0; done < times; done += 1) {
        const one = next();
        await client.query('BEGIN');
        await work(one);
        await client.query('COMMIT');
      }
    },
  });
  /** @param {string} key @param {string} name @param {(one: Bet) => Promise<unknown>} [work] after the answer to the bet */
  const after = (key, name, work) =>
    transactions(key, name, waiting, async (one) => {
      await insert(waiting, one);
      await work?.(one);
    });
  /** @param {string} key @param {string} name @param {(one: Bet) => Promise<unknown>} [work] together with the bet */
  const together = (key, name, work) =>
    transactions(key, name, sending, async (one) => {
      const sent = [insert(sending, one), work?.(one)];
      await Promise.allSettled(sent);
      await Promise.all(sent);
    });
  /** @param {(typeof opened)[number]} of */
  const preparedBy = ({ build, schema, outbox: own }) => {
    /** @type {{ one: Bet, report: import('../dist/outbox.js').PreparedReport }[]} */
    let reports = [];
    return {
      key: `prepared${build.key}`,
      name: nameOf('with its prepared report, in one statement', build),
      async before(/** @type {number} */ times) {
        reports = [];
        for (let done = 0; done < times; done += 1) {
          const one = next();
          reports.push({ one, report: await own.prepare('reportBetEvent', one) });
        }
      },
      async run() {
        for (const { one, report } of reports) {
          await waiting.query('BEGIN');
          await waiting.query(`${INSERT} RETURNING ${schema}.enqueue($5)`, [...valuesOf(one), report.value]);
          await waiting.query('COMMIT');
        }
      },
    };
  };
  const asked = ask(
    [prepared, 'prepared', 'row', 'preparedBound'],
    [within, 'within', 'row', 'withinBound'],
    [both, 'both', 'rowTogether', 'bothBound'],
    ...slipOf(`PostgreSQL, ${title}: a prepared report`, 'prepared'),
    ...slipOf(`PostgreSQL, ${title}: within`, 'within'),
  );
  const results = await compareHere(
    [
      after('bet', 'the bet alone'),
      after('row', 'then one more row of your own', (one) => insert(waiting, more(one))),
      ...opened.map(preparedBy),
      transactions('preparedBound', 'with the bare rows of a report, in one statement', waiting, (one) =>
        waiting.query(BARE_WITH_BET, [...valuesOf(one), JSON.stringify(one)]),
      ),
      ...opened.map(({ build, outbox: own }) =>
        after(`within${build.key}`, nameOf('then its report, outbox', build), (one) =>
          own.within(waiting).reportBetEvent(one),
        ),
      ),
      after('withinBound', 'then the bare rows of a report', (one) =>
        waiting.query(BARE, [one.bet_id, JSON.stringify(one)]),
      ),
      together('rowTogether', 'together with one more row of your own', (one) => insert(sending, more(one))),
      together('both', 'together with its report, outbox', (one) => outbox.within(sending).reportBetEvent(one)),
      together('bothBound', 'together with the bare rows of a report', (one) =>
        sending.query(BARE, [one.bet_id, JSON.stringify(one)]),
      ),
    ],
    { until, neededAfter: asked.neededAfter },
  );
  waiting.release();
  sending.release();
  await Promise.all([lent.end(), pipelined.end()]);
  asked.answer(results);
  tell(`PostgreSQL: transactions that insert a bet, ${title}`, table(results, 'bet'));
}

/** The share of the processors' time in use, since the machine started. */
function processorTime() {
  const times = cpus().map((one) => one.times);
  const sum = (/** @type {(one: (typeof times)[number]) => number} */ of) =>
    times.reduce((total, one) => total + of(one), 0);
  const idle = sum((one) => one.idle);
  return { idle, whole: idle + sum(({ user, nice, sys, irq }) => user + nice + sys + irq) };
}

/**
 * The reports that this number of workers delivers, and the machine's load.
 *
 * @param {number} workers
 * @param {string} gateway
 */
async function delivered(workers, gateway) {
  bets += 1;
  const schema = `delivery_${bets}`;
  const store = await postgresStore({ database: pool, schema });
  const payloads = Array.from({ length: BACKLOG }, (_, index) => bet(`D-${index}`));
  const { createOutbox } = await load('outbox');
  await createOutbox({ client: await clientOf(gateway), store }).reportAll(
    payloads.map((payload) => ({ operation: 'reportBetEvent', payload })),
  );
  const words = [server.url, schema, gateway, String(CONCURRENCY)];
  const children = await Promise.all(
    Array.from({ length: workers }, () => startProcess(new URL('postgres-worker.js', import.meta.url), { words })),
  );
  for (const child of children) child.send('start');
  const recorded = async () => (await store.counts()).states.recorded;
  // Measured in the middle: not while they start, nor when too little is left for all.
  const until = async (/** @type {number} */ part) => {
    for (const began = performance.now(); (await recorded()) < BACKLOG * part; ) {
      if (performance.now() - began > MOST_MS)
        throw new Error(`the workers delivered ${await recorded()} of ${BACKLOG} reports in time`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await until(0.1);
  const [first, began, before] = [await recorded(), performance.now(), processorTime()];
  await until(0.8);
  const [times, took, after] = [(await recorded()) - first, performance.now() - began, processorTime()];
  const busy = 1 - (after.idle - before.idle) / (after.whole - before.whole);
  await Promise.all(children.map((child) => child.stop()));
  return { times, took, processor: took * busy * cpus().length, busy };
}

async function delivering() {
  const answering = await startProcess(new URL('outbox-gateway.js', import.meta.url), { words: [String(LATENCY_MS)] });
  const gateway = `http://127.0.0.1:${answering.first}`;
  /** @type {Map<number, number[]>} */
  const busy = new Map([1, 2, 4].map((workers) => [workers, []]));
  const results = await compare(
    [...busy].map(([workers, found]) => ({
      key: String(workers),
      name: `${workers} workers`,
      async turn() {
        const turn = await delivered(workers, gateway);
        found.push(turn.busy);
        return turn;
      },
    })),
    { until: 0.3 },
  );
  await answering.stop();
  const busyWith = (/** @type {number} */ workers) => median(busy.get(workers) ?? []);
  for (const [workers, promised] of /** @type {const} */ ([
    [2, promises.twoWorkers],
    [4, promises.fourWorkers],
  ])) {
    // Workers, the server and the gateway share the machine: once it is full, the machine is measured.
    if (busyWith(workers) < FULL)
      judge(
        promised,
        ratios(results, String(workers), '1').clock.map((ratio) => ratio / workers),
      );
  }
  tell(
    `PostgreSQL: delivery, ${CONCURRENCY} at once for each worker, the gateway answering after ${LATENCY_MS} ms`,
    `${markdownTable([
      ['workers', 'a second', 'the machine is busy'],
      ...results.map(({ key, rates }) => [key, whole(median(rates)), `${whole(busyWith(Number(key)) * 100)} %`]),
    ])}

More workers are not judged on a machine that is busy for more than ${FULL * 100} %.`,
  );
}

/**
 * A schema with this number of rows, made by the server itself.
 * @param {string} schema
 * @param {number} waiting
 * @param {number} recorded
 */
async function fill(schema, waiting, recorded) {
  const store = await postgresStore({ database: pool, schema });
  await store.bind([{ account: 'default', environment: 'staging', gateway: NOWHERE }]);
  const [row] = rowsOf('x', 1);
  const columns = 'id, account, environment, operation, reference, fingerprint';
  /** @param {string} prefix */
  const values = (prefix) =>
    `'default:staging:reportBetEvent:${prefix}' || n, 'default', 'staging', 'reportBetEvent', '${prefix}' || n, '${row?.fingerprint}'`;
  await pool.query(`INSERT INTO ${schema}.reports (${columns}, state, fence, attempts, in_doubt, doubt_before, due_at, changed_at, outcome)
    SELECT ${values('R-')}, 'recorded', 1, 1, false, false, 0, 0, 'recorded' FROM generate_series(1, ${recorded}) AS n`);
  await pool.query(
    `WITH added AS (INSERT INTO ${schema}.reports (${columns}, body) SELECT ${values('W-')}, $1 FROM generate_series(1, ${waiting}) AS n RETURNING sequence, enqueued_at)
    INSERT INTO ${schema}.queue (sequence, account, environment, due_at, changed_at) SELECT sequence, 'default', 'staging', enqueued_at, enqueued_at FROM added`,
    [row?.body],
  );
  await pool.query(`VACUUM ANALYZE ${schema}.reports`);
  await pool.query(`VACUUM ANALYZE ${schema}.queue`);
  return store;
}

async function claims() {
  const few = await fill('few', FEW, 0);
  const many = await fill('many', MANY, RECORDED);
  const asked = ask([promises.postgresClaim, 'many', 'few']);
  const results = await compareHere(
    [
      turns('few', `${whole(FEW)} waiting`, few),
      turns('many', `${whole(MANY)} waiting, ${whole(RECORDED)} recorded`, many),
    ],
    { until: 0.55, neededAfter: asked.neededAfter },
  );
  asked.answer(results);
  const began = performance.now();
  await many.counts();
  tell(
    `PostgreSQL: turns, ${CLAIMED} rows written back and ${CLAIMED} claimed`,
    `${table(results, 'few')}\n\nCounting all of them takes ${Math.round(performance.now() - began)} ms.`,
  );
}

/** The delay between the commit of a report and its recording by an idle outbox, if another connection wrote it. */
async function waking() {
  const gateway = await startProcess(new URL('outbox-gateway.js', import.meta.url));
  const store = await postgresStore({ database: pool, schema: 'waking', listen: () => pool.connect() });
  // A poll interval so long that only the database's notification can wake it.
  const { createOutbox } = await load('outbox');
  const sending = await clientOf(`http://127.0.0.1:${gateway.first}`);
  const outbox = createOutbox({ client: sending, store, pollMs: 3_600_000 });
  const writer = createOutbox({ client: sending, store: await postgresStore({ database: pool, schema: 'waking' }) });
  outbox.start();
  const client = await pool.connect();
  /** @type {number[]} */
  const waits = [];
  for (let report = 0; report < COMMITS; report += 1) {
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const recorded = new Promise((resolve) => {
      const off = outbox.on('recorded', () => resolve(off()));
    });
    await client.query('BEGIN');
    await writer.within(client).reportBetEvent(bet(`K-${report}`));
    await client.query('COMMIT');
    const began = performance.now();
    await recorded;
    waits.push(performance.now() - began);
  }
  client.release();
  await outbox.stop();
  await store.close?.();
  await gateway.stop();
  judge(promises.waking, [Math.max(...waits)]);
  tell(
    'PostgreSQL: an idle outbox',
    `A report is recorded ${fixed(median(waits), 1)} ms after its commit, the slowest of ${COMMITS} after ${fixed(Math.max(...waits), 1)} ms.`,
  );
}

try {
  for (const part of [waking, delivering, claims, enqueueing]) if (isAsked(part.name)) await part();
} finally {
  await pool.end();
  await server.stop();
}
