// What it costs to put a report into the outbox and to take it out: beside a bare prepared insert into SQLite with the same
// durability on the same disk, and beside the client alone. Fails where a promise is not kept.
// `node outbox-sqlite.js --drain 1000000` drains so many instead, and watches the memory.
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'libsql';
import { createOutbox } from '../dist/outbox.js';
import { sqliteStore } from '../dist/outbox-sqlite.js';
import { startChild } from './child.js';
import { compare, table } from './measure.js';
import { bet, clientOf, fixed, promise, rowsOf } from './reports.js';

const PROMISED = { single: 0.7, batch: 10, drain: 0.8, claim: 1.5 };
const BATCH = 500;
const CONCURRENCY = 8;
const FEW = 10_000;
const MANY = 1_000_000;
const BACKLOG = 2_000;
const CLAIMED = 8;

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

async function enqueueing() {
  const bare = open(newFile());
  bare.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE reports (id TEXT PRIMARY KEY, body TEXT NOT NULL)');
  const insert = bare.prepare('INSERT INTO reports (id, body) VALUES (?, ?)');
  const store = await openStore();
  const outbox = createOutbox({ client: clientOf('http://127.0.0.1:9'), store });
  const results = await compare([
    {
      name: 'bare prepared insert',
      run: (times) => {
        for (let done = 0; done < times; done += 1) {
          const report = nextBet();
          insert.run(`staging:reportBetEvent:${report.bet_id}`, JSON.stringify(report));
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
  promise(`one after the other, the store takes ${fixed(single / base)} of the bare inserts (at least ${PROMISED.single})`, single / base >= PROMISED.single);
  promise(`50 at once, validated, located and hashed: ${fixed(many / base)} (at least ${PROMISED.single})`, many / base >= PROMISED.single);
  promise(
    `in batches the store takes ${fixed(batch / single)} times what it takes one after the other (at least ${PROMISED.batch})`,
    batch / single >= PROMISED.batch,
  );
  bare.close();
  await store.close?.();
}

/** One turn writes what the turn before claimed back, and claims. @param {number} waiting */
async function claiming(waiting) {
  const store = await openStore();
  for (let added = 0; added < waiting; added += 10_000) await store.enqueue(rowsOf(`W-${added}`, 10_000));
  /** @type {import('../dist/outbox.js').Write[]} */
  let writes = [];
  return {
    close: () => store.close?.(),
    contender: {
      name: `${waiting.toLocaleString('en')} waiting`,
      run: async (/** @type {number} */ times) => {
        for (let done = 0; done < times; done += 1) {
          const { claimed } = await store.turn({ writes, claim: { limit: CLAIMED, leaseMs: 60_000 } });
          writes = claimed.map(({ id, state, fence, attempts, doubtBefore }) => ({
            id,
            expected: { state, fence },
            change: {
              state: 'waiting',
              fence,
              attempts,
              doubtBefore,
              inDoubt: false,
              delayMs: 0,
              outcome: undefined,
              message: undefined,
              problem: undefined,
              decisions: [],
              keepBody: true,
            },
          }));
        }
      },
    },
  };
}

async function claims() {
  const [few, many] = [await claiming(FEW), await claiming(MANY)];
  const results = await compare([few.contender, many.contender]);
  console.log(`Turns: ${CLAIMED} rows written back and ${CLAIMED} claimed\n\n${table(results, few.contender.name)}\n`);
  const [fast = 0, slow = 0] = results.map(({ perSecond }) => perSecond);
  promise(
    `a claim among ${MANY.toLocaleString('en')} costs ${fixed(fast / slow)} times one among ${FEW.toLocaleString('en')} (at most ${PROMISED.claim})`,
    fast / slow <= PROMISED.claim,
  );
  await few.close();
  await many.close();
}

async function draining() {
  const gateway = await startChild('outbox-gateway.js');
  const client = clientOf(`http://127.0.0.1:${gateway.message}`);
  const store = await openStore();
  const outbox = createOutbox({ client, store, concurrency: CONCURRENCY });
  /** @type {Record<string, number[]>} */
  const rates = { client: [], outbox: [] };
  for (let round = 0; round < 5; round += 1) {
    const reports = Array.from({ length: BACKLOG }, nextBet);
    await outbox.reportAll(reports.map((payload) => ({ operation: 'reportBetEvent', payload })));
    let began = performance.now();
    await outbox.drain();
    rates.outbox?.push((BACKLOG / (performance.now() - began)) * 1_000);
    began = performance.now();
    const left = Array.from({ length: BACKLOG }, nextBet);
    const lane = async () => {
      for (let report = left.pop(); report; report = left.pop()) await client.reportBetEvent(report);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
    rates.client?.push((BACKLOG / (performance.now() - began)) * 1_000);
  }
  const median = (/** @type {number[]} */ figures = []) => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
  const [alone, drained] = [median(rates.client), median(rates.outbox)];
  console.log(
    `Draining ${BACKLOG.toLocaleString('en')} reports, ${CONCURRENCY} at once: client alone ${Math.round(alone)} a second, outbox ${Math.round(drained)}\n`,
  );
  promise(`a backlog is drained at ${fixed(drained / alone)} of the client's rate (at least ${PROMISED.drain})`, drained / alone >= PROMISED.drain);
  await store.close?.();
  await gateway.stop();
}

/** Drains very many, and tells the memory on the way. @param {number} count */
async function drainMany(count) {
  const gateway = await startChild('outbox-gateway.js');
  const store = await openStore();
  for (let added = 0; added < count; added += 10_000) await store.enqueue(rowsOf(`M-${added}`, Math.min(10_000, count - added)));
  const outbox = createOutbox({ client: clientOf(`http://127.0.0.1:${gateway.message}`), store, concurrency: 32 });
  const began = performance.now();
  let recorded = 0;
  outbox.on('recorded', () => {
    recorded += 1;
    if (recorded % Math.ceil(count / 20) > 0) return;
    const { rss, heapUsed } = process.memoryUsage();
    const mega = (/** @type {number} */ bytes) => `${Math.round(bytes / 1_048_576)} MB`;
    console.log(
      `${recorded.toLocaleString('en')} recorded after ${Math.round((performance.now() - began) / 1_000)} s: ${mega(rss)} in all, ${mega(heapUsed)} of objects`,
    );
  });
  await outbox.drain();
  await store.close?.();
  await gateway.stop();
}

const { values } = parseArgs({ options: { drain: { type: 'string' }, only: { type: 'string' } } });
console.log(`Node.js ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores\n`);
try {
  if (values.drain !== undefined) await drainMany(Number(values.drain));
  else for (const part of [enqueueing, draining, claims]) if (values.only === undefined || values.only === part.name) await part();
} finally {
  await rm(folder, { recursive: true });
}
