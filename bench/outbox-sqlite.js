// The cost of putting a report into the outbox and of taking it out: compared with a bare prepared insert into SQLite
// with the same durability on the same disk, and with the client alone. Fails if a promised value is missed. `node
// outbox-sqlite.js --drain 1000000 --minutes 10` instead drains this backlog, for at most this time, and measures the
// memory.
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DatabaseSync as Database } from '@photostructure/sqlite';
import { createOutbox } from '../dist/outbox.js';
import { compare, median, table } from './measure.js';
import { startProcess, thisRuntime } from './process.js';
import { bet, CLAIMED, clientOf, NOWHERE, promise, rowsOf, turns } from './reports.js';
import { sizeOf } from './smoke.js';
import { sqliteStore } from './stores.js';
import { fixed, mega, whole } from './words.js';

// One after the other: a row of the queue writes 3.8 pages to the disk, since the index of claims finds it again; that
// of the bare table 2.6. So a disk whose time goes with the pages allows 0.69. On a fast disk the turn of the event
// loop, which lets reports share a commit, and the look at the file's folder count too.
const PROMISED = { single: 0.6, together: 0.7, batch: 10, drain: 0.8, claim: 1.5, memory: 1.25 };
/** The share of a drained backlog that counts as warm-up. */
const WARM_UP = 0.2;
const BATCH = 500;
const CONCURRENCY = 8;
const FEW = sizeOf(10_000, 100);
const MANY = sizeOf(1_000_000, 1_000);
const BACKLOG = sizeOf(2_000, 50);
const DRAINS = sizeOf(9, 1);

const startGateway = () => startProcess(new URL('outbox-gateway.js', import.meta.url));

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

/** The columns of a waiting report, with the same unique key: no other index, no order, no other process. */
const BARE_TABLE = `CREATE TABLE reports (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, environment TEXT NOT NULL, operation TEXT NOT NULL,
  reference TEXT NOT NULL, state TEXT NOT NULL, enqueued_at INTEGER NOT NULL, due_at INTEGER NOT NULL, fingerprint TEXT NOT NULL, body TEXT NOT NULL)`;
const BARE_INSERT = `INSERT INTO reports (id, environment, operation, reference, state, enqueued_at, due_at, fingerprint, body)
  VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?, ?)`;

async function enqueueing() {
  const bare = open(newFile());
  bare.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${BARE_TABLE}`);
  const insert = bare.prepare(BARE_INSERT);
  const store = await openStore();
  const outbox = createOutbox({ client: clientOf(NOWHERE), store });
  const results = await compare([
    {
      name: 'bare prepared insert',
      run: (times) => {
        for (let done = 0; done < times; done += 1) {
          bets += 1;
          for (const { id, environment, operation, reference, fingerprint, body } of rowsOf(`A-${bets}`, 1)) {
            const now = Date.now();
            insert.run(id, environment, operation, reference, now, now, fingerprint, body);
          }
        }
      },
    },
    {
      name: 'store, one after the other',
      run: async (times) => {
        for (let done = 0; done < times; done += 1) {
          bets += 1;
          await store.enqueue(rowsOf(`T-${bets}`, 1));
        }
      },
    },
    {
      name: 'outbox, one after the other',
      run: async (times) => {
        for (let done = 0; done < times; done += 1) await outbox.reportBetEvent(nextBet());
      },
    },
    {
      name: 'outbox, 50 at once',
      run: async (times) => {
        for (let done = 0; done < times; done += 50)
          await Promise.all(Array.from({ length: Math.min(50, times - done) }, () => outbox.reportBetEvent(nextBet())));
      },
    },
    {
      name: `outbox, reportAll of ${BATCH}`,
      run: async (times) => {
        for (let done = 0; done < times; done += BATCH) {
          const length = Math.min(BATCH, times - done);
          await outbox.reportAll(Array.from({ length }, () => ({ operation: 'reportBetEvent', payload: nextBet() })));
        }
      },
    },
    {
      name: `store, enqueue of ${BATCH}`,
      run: async (times) => {
        for (let done = 0; done < times; done += BATCH) {
          bets += 1;
          await store.enqueue(rowsOf(`S-${bets}`, Math.min(BATCH, times - done)));
        }
      },
    },
  ]);
  console.log(`Enqueueing reports\n\n${table(results, 'bare prepared insert')}\n`);
  const [base = 0, single = 0, , many = 0, , batch = 0] = results.map(({ perSecond }) => perSecond);
  promise(
    `one after the other, the store takes ${fixed(single / base)} of the bare inserts (at least ${PROMISED.single})`,
    single / base >= PROMISED.single,
  );
  promise(
    `50 at once, validated, located and hashed: ${fixed(many / base)} (at least ${PROMISED.together})`,
    many / base >= PROMISED.together,
  );
  promise(
    `in batches the store takes ${fixed(batch / single)} times what it takes one after the other (at least ${PROMISED.batch})`,
    batch / single >= PROMISED.batch,
  );
  bare.close();
  await store.close?.();
}

/** @param {number} waiting */
async function claiming(waiting) {
  const store = await openStore();
  for (let added = 0; added < waiting; added += 10_000)
    await store.enqueue(rowsOf(`W-${added}`, Math.min(10_000, waiting - added)));
  return { close: () => store.close?.(), contender: turns(`${whole(waiting)} waiting`, store) };
}

async function claims() {
  const [few, many] = [await claiming(FEW), await claiming(MANY)];
  const results = await compare([few.contender, many.contender]);
  console.log(`Turns: ${CLAIMED} rows written back and ${CLAIMED} claimed\n\n${table(results, few.contender.name)}\n`);
  const [fast = 0, slow = 0] = results.map(({ perSecond }) => perSecond);
  promise(
    `a claim among ${whole(MANY)} costs ${fixed(fast / slow)} times one among ${whole(FEW)} (at most ${PROMISED.claim})`,
    fast / slow <= PROMISED.claim,
  );
  await few.close();
  await many.close();
}

async function draining() {
  const gateway = await startGateway();
  const client = clientOf(`http://127.0.0.1:${gateway.first}`);
  const store = await openStore();
  const outbox = createOutbox({ client, store, concurrency: CONCURRENCY });
  /** How many a second of each, round by round. @type {{ alone: number, drained: number }[]} */
  const rounds = [];
  const rate = async (/** @type {() => Promise<unknown>} */ work) => {
    const began = performance.now();
    await work();
    return (BACKLOG / (performance.now() - began)) * 1_000;
  };
  for (let round = 0; round < DRAINS; round += 1) {
    const reports = Array.from({ length: BACKLOG }, nextBet);
    await outbox.reportAll(reports.map((payload) => ({ operation: 'reportBetEvent', payload })));
    const left = Array.from({ length: BACKLOG }, nextBet);
    const lane = async () => {
      for (let report = left.pop(); report; report = left.pop()) await client.reportBetEvent(report);
    };
    const byClient = () => rate(() => Promise.all(Array.from({ length: CONCURRENCY }, lane)));
    // They alternate in the first place.
    const before = round % 2 === 0 ? await byClient() : undefined;
    const drained = await rate(() => outbox.drain());
    rounds.push({ drained, alone: before ?? (await byClient()) });
  }
  const ratio = median(rounds.map(({ alone, drained }) => drained / alone));
  const [alone, drained] = [median(rounds.map((one) => one.alone)), median(rounds.map((one) => one.drained))];
  console.log(
    `Draining ${whole(BACKLOG)} reports, ${CONCURRENCY} at once: client alone ${whole(alone)} a second, outbox ${whole(drained)}\n`,
  );
  promise(
    `a backlog is drained at ${fixed(ratio)} of the client's rate (at least ${PROMISED.drain})`,
    ratio >= PROMISED.drain,
  );
  await store.close?.();
  await gateway.stop();
}

/** Drains a long backlog, and prints the memory meanwhile. @param {number} count @param {number} minutes */
async function drainMany(count, minutes) {
  const gateway = await startGateway();
  const store = await openStore();
  const url = `http://127.0.0.1:${gateway.first}`;
  for (let added = 0; added < count; added += 10_000)
    await store.enqueue(rowsOf(`M-${added}`, Math.min(10_000, count - added), url));
  const outbox = createOutbox({ client: clientOf(url), store, concurrency: 32 });
  const began = performance.now();
  const share = () => Math.max(recorded / count, (performance.now() - began) / (minutes * 60_000));
  let recorded = 0;
  /** The largest value during the warm-up, and after it. */
  const most = { before: 0, after: 0 };
  let told = 0;
  outbox.on('recorded', () => {
    recorded += 1;
    if (recorded % 500 > 0) return;
    const { rss, heapUsed } = process.memoryUsage();
    const part = share() < WARM_UP ? 'before' : 'after';
    most[part] = Math.max(most[part], rss);
    if (share() * 20 < told + 1) return;
    told = Math.floor(share() * 20);
    const seconds = Math.round((performance.now() - began) / 1_000);
    console.log(`${whole(recorded)} recorded after ${seconds} s: ${mega(rss)} in all, ${mega(heapUsed)} of objects`);
  });
  await outbox.drain({ timeoutMs: minutes * 60_000 });
  const { states } = await outbox.stats();
  console.log(`\n${whole(states.recorded)} recorded, ${whole(states.waiting + states['in-flight'])} left`);
  const grown = most.after / most.before;
  promise(
    `the memory after warming up is ${fixed(grown)} of that before, ${mega(most.after)} at most (at most ${PROMISED.memory})`,
    grown <= PROMISED.memory,
  );
  if (states.recorded !== recorded || states.quarantined > 0) process.exitCode = 1;
  await store.close?.();
  await gateway.stop();
}

const { values } = parseArgs({
  options: {
    drain: { type: 'string' },
    minutes: { type: 'string', default: '60' },
    only: { type: 'string' },
    smoke: { type: 'boolean' },
  },
});
console.log(`${thisRuntime.name}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores\n`);
try {
  if (values.drain !== undefined) await drainMany(Number(values.drain), Number(values.minutes));
  else
    for (const part of [enqueueing, draining, claims])
      if (values.only === undefined || values.only === part.name) await part();
} finally {
  await rm(folder, { recursive: true });
}
