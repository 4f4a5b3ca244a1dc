// The cost of an outbox in PostgreSQL: a report in the transaction of a bet compared with the bet alone; the delay
// until an idle outbox sends; delivery with one, two and four workers; a claim among few rows and among very many. It
// uses a real server whose commits wait for the disk. Fails if a promised value is missed. `node outbox-postgres.js
// --only enqueueing` measures one part.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createOutbox } from '../dist/outbox.js';
import { startPostgres } from '../test/support/postgres-server.js';
import { compare, median, ratioOf, table } from './measure.js';
import { startProcess, thisRuntime } from './process.js';
import { bet, CLAIMED, clientOf, NOWHERE, promise, rowsOf, turns } from './reports.js';
import { sizeOf } from './smoke.js';
import { postgresStore } from './stores.js';
import { fixed, whole } from './words.js';

const PROMISED = { prepared: 1.25, within: 2.25, scaling: 0.8, claim: 1.5, wakingMs: 1_000 };
/** Above this processor use the machine is full, and more workers cannot deliver more. */
const FULL = 0.85;
/** The default of a worker, and the gateway of the guide to PostgreSQL: four of them leave this machine some time. */
const CONCURRENCY = 8;
const LATENCY_MS = 100;
const FEW = sizeOf(10_000, 100);
const MANY = sizeOf(1_000_000, 1_000);
const RECORDED = sizeOf(5_000_000, 1_000);
const BACKLOG = sizeOf(4_000, 200);
const DELIVERIES = sizeOf(3, 1);
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
  await adding('commits as fast as this disk', server);
  const slower = await startPostgres({ fsync: true, flags: ['-c', 'commit_delay=1000', '-c', 'commit_siblings=0'] });
  try {
    await adding('commits 1 ms slower', slower);
  } finally {
    await slower.stop();
  }
}

/**
 * The cost of a report in a transaction that inserts a bet, compared with one more row of the user's own, which is the
 * cost of any transaction.
 *
 * @param {string} title
 * @param {import('../test/support/postgres-server.js').PostgresServer} server
 */
async function adding(title, { url }) {
  const lent = new pg.Pool({ connectionString: url, max: 4 });
  // Sends a statement without waiting for the answer to the one before.
  const pipelined = new pg.Pool({ connectionString: url, max: 1, pipeline: true });
  // As above.
  for (const one of [lent, pipelined]) one.on('error', () => {});
  const [told, silent] = [
    await postgresStore({ database: lent }),
    await postgresStore({ database: lent, notify: false }),
  ];
  const outbox = createOutbox({ client: clientOf(NOWHERE), store: told });
  await lent.query(
    'CREATE TABLE bets (id text PRIMARY KEY, user_id text NOT NULL, amount bigint NOT NULL, details jsonb NOT NULL, at timestamptz NOT NULL)',
  );
  await lent.query('CREATE INDEX bets_of_user ON bets (user_id, at)');
  const [waiting, sending] = [await lent.connect(), await pipelined.connect()];
  const INSERT = 'INSERT INTO bets (id, user_id, amount, details, at) VALUES ($1, $2, $3, $4, now())';
  const valuesOf = (/** @type {ReturnType<typeof bet>} */ one) => [
    one.bet_id,
    one.user.user_id,
    one.amount,
    JSON.stringify(one),
  ];
  const insert = (/** @type {pg.PoolClient} */ client, /** @type {ReturnType<typeof bet>} */ one) =>
    client.query(INSERT, valuesOf(one));
  /** @param {string} name @param {(one: ReturnType<typeof bet>) => Promise<unknown>} [more] after the answer to the bet */
  const after = (name, more) => ({
    name,
    run: async (/** @type {number} */ times) => {
      for (let done = 0; done < times; done += 1) {
        bets += 1;
        const one = bet(`B-${bets}`);
        await waiting.query('BEGIN');
        await insert(waiting, one);
        await more?.(one);
        await waiting.query('COMMIT');
      }
    },
  });
  /** @param {string} name @param {(one: ReturnType<typeof bet>) => Promise<unknown>} [more] together with the bet */
  const together = (name, more) => ({
    name,
    run: async (/** @type {number} */ times) => {
      for (let done = 0; done < times; done += 1) {
        bets += 1;
        const one = bet(`B-${bets}`);
        await sending.query('BEGIN');
        const sent = [insert(sending, one), more?.(one)];
        await Promise.allSettled(sent);
        await Promise.all(sent);
        await sending.query('COMMIT');
      }
    },
  });
  const OF_BOTH = `${INSERT} RETURNING location_sdk.enqueue($5)`;
  const next = () => {
    bets += 1;
    return bet(`B-${bets}`);
  };
  /** @type {{ one: ReturnType<typeof bet>, report: import('../dist/outbox.js').PreparedReport }[]} */
  let prepared = [];
  const prepare = async (/** @type {number} */ times) => {
    prepared = [];
    for (let done = 0; done < times; done += 1) {
      const one = next();
      prepared.push({ one, report: await outbox.prepare('reportBetEvent', one) });
    }
  };
  const inside = async () => {
    for (const { one, report } of prepared) {
      await waiting.query('BEGIN');
      await waiting.query(OF_BOTH, [...valuesOf(one), report.value]);
      await waiting.query('COMMIT');
    }
  };
  const preparedInside = async (/** @type {number} */ times) => {
    for (let done = 0; done < times; done += 1) {
      await prepare(1);
      await inside();
    }
  };
  const results = await compare(
    [
      after('the bet alone'),
      after('then SELECT $1', () => waiting.query('SELECT $1::text', ['a'])),
      after('then one more row of your own', (one) => insert(waiting, { ...one, bet_id: `${one.bet_id}-more` })),
      after('then its report, store', (one) => told.enqueue(rowsOf(one.bet_id, 1), waiting)),
      after('the same without NOTIFY', (one) => silent.enqueue(rowsOf(one.bet_id, 1), waiting)),
      after('then its report, outbox', (one) => outbox.within(waiting).reportBetEvent(one)),
      together('the bet alone, pipelined'),
      together('together with one more row of your own', (one) =>
        insert(sending, { ...one, bet_id: `${one.bet_id}-more` }),
      ),
      together('together with its report, store', (one) => told.enqueue(rowsOf(one.bet_id, 1), sending)),
      together('the same without NOTIFY', (one) => silent.enqueue(rowsOf(one.bet_id, 1), sending)),
      together('together with its report, outbox', (one) => outbox.within(sending).reportBetEvent(one)),
      { name: 'with its prepared report, in one statement', before: prepare, run: inside },
      { name: 'the same, and preparing it', run: preparedInside },
    ],
    { rounds: 33 },
  );
  waiting.release();
  sending.release();
  await Promise.all([lent.end(), pipelined.end()]);
  console.log(`Transactions that insert a bet, ${title}\n\n${table(results, 'the bet alone')}\n`);
  const msOf = (/** @type {number} */ index) => 1_000 / (results[index]?.perSecond ?? Number.NaN);
  const share = (/** @type {number} */ index, base = 0) =>
    `${whole((ratioOf(results[base]?.rates ?? [], results[index]?.rates ?? []) - 1) * 100)} %`;
  /** How many times as long a transaction takes as one with one more row. */
  const beside = (/** @type {number} */ index, row = 2) =>
    ratioOf(results[row]?.rates ?? [], results[index]?.rates ?? []);
  console.log(`To a transaction of ${fixed(msOf(0))} ms that inserts one bet:
- one more row of your own adds ${share(2)}, SELECT $1 ${share(1)}
- a prepared report in the statement of the bet adds ${share(11)}; preparing it takes ${fixed(msOf(12) - msOf(11))} ms before that
- a report with \`within\` adds ${share(5)}, writing alone ${share(3)}
- the same together with the bet adds ${share(10, 6)}, writing alone ${share(8, 6)}; one more row of your own ${share(7, 6)}\n`);
  const say = (/** @type {string} */ what, /** @type {number} */ times, /** @type {number} */ most) =>
    promise(
      `a transaction with ${what} takes ${fixed(times)} times as long as with one more row of your own (at most ${most})`,
      times <= most,
    );
  say('a prepared report in the statement of the bet', beside(11), PROMISED.prepared);
  say('a report over `within`', beside(5), PROMISED.within);
  say('a report over `within`, together with the bet,', beside(10, 7), PROMISED.within);
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
 * The reports that this number of workers delivers a second, and the machine's load.
 *
 * @param {number} workers
 * @param {string} gateway
 */
async function delivered(workers, gateway) {
  bets += 1;
  const schema = `delivery_${bets}`;
  const store = await postgresStore({ database: pool, schema });
  const payloads = Array.from({ length: BACKLOG }, (_, index) => bet(`D-${index}`));
  await createOutbox({ client: clientOf(gateway), store }).reportAll(
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
  const rate = (((await recorded()) - first) / (performance.now() - began)) * 1_000;
  const after = processorTime();
  const busy = 1 - (after.idle - before.idle) / (after.whole - before.whole);
  await Promise.all(children.map((child) => child.stop()));
  return { rate, busy };
}

async function delivering() {
  const answering = await startProcess(new URL('outbox-gateway.js', import.meta.url), { words: [String(LATENCY_MS)] });
  const gateway = `http://127.0.0.1:${answering.first}`;
  /** @type {Map<number, { rate: number, busy: number }[]>} */
  const rounds = new Map([1, 2, 4].map((workers) => [workers, []]));
  for (let round = 0; round < DELIVERIES; round += 1)
    for (const [workers, found] of rounds) found.push(await delivered(workers, gateway));
  const figures = [...rounds].map(([workers, found]) => ({
    workers,
    rate: median(found.map(({ rate }) => rate)),
    busy: median(found.map(({ busy }) => busy)),
  }));
  const one = figures[0]?.rate ?? Number.NaN;
  await answering.stop();
  console.log(`Delivery, ${CONCURRENCY} at once for each worker, the gateway answering after ${LATENCY_MS} ms\n`);
  for (const { workers, rate, busy } of figures) {
    const share = rate / (workers * one);
    const line = `${workers} workers deliver ${whole(rate)} a second, ${fixed(share)} of ${workers} times one, the machine ${whole(busy * 100)} % busy`;
    // Workers, the server and the gateway share the machine: once it is full, the machine is measured.
    if (busy < FULL) promise(`${line} (at least ${PROMISED.scaling})`, share >= PROMISED.scaling);
    else console.log(`${line}: it is full\n`);
  }
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
  const name = `${whole(FEW)} waiting`;
  const results = await compare([turns(name, few), turns(`${whole(MANY)} waiting, ${whole(RECORDED)} recorded`, many)]);
  console.log(`Turns: ${CLAIMED} rows written back and ${CLAIMED} claimed\n\n${table(results, name)}\n`);
  const [fast = 0, slow = 0] = results.map(({ perSecond }) => perSecond);
  promise(
    `a claim among very many costs ${fixed(fast / slow)} times one among few (at most ${PROMISED.claim})`,
    fast / slow <= PROMISED.claim,
  );
  const began = performance.now();
  await many.counts();
  console.log(`counting all of them takes ${Math.round(performance.now() - began)} ms\n`);
}

/** The delay between the commit of a report and its recording by an idle outbox, if another connection wrote it. */
async function waking() {
  const gateway = await startProcess(new URL('outbox-gateway.js', import.meta.url));
  const store = await postgresStore({ database: pool, schema: 'waking', listen: () => pool.connect() });
  // A poll interval so long that only the database's notification can wake it.
  const sending = clientOf(`http://127.0.0.1:${gateway.first}`);
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
  const slowest = Math.max(...waits);
  promise(
    `a report of an idle outbox is recorded ${whole(median(waits))} ms after its commit, the slowest of ${COMMITS} after ${whole(slowest)} ms (at most ${whole(PROMISED.wakingMs)})`,
    slowest <= PROMISED.wakingMs,
  );
}

const { values } = parseArgs({ options: { only: { type: 'string' }, smoke: { type: 'boolean' } } });
console.log(`${thisRuntime.name}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores\n`);
try {
  for (const part of [enqueueing, waking, delivering, claims])
    if (values.only === undefined || values.only === part.name) await part();
} finally {
  await pool.end();
  await server.stop();
}
