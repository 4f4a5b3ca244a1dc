// Kills and stops processes that work on one outbox for two licences. Meanwhile the gateways lose answers after
// recording, break off others and at times refuse all requests. The workers open the file a second time, other
// processes open and close it, and one deletes all pauses and bindings. The workers dismiss, reopen and replace bets
// that the gateway refuses, and no settlement may come while its bet is open. At the end each other report must be
// recorded at its own gateway in its own bytes, or quarantined because the gateway refused it. `npm run soak` builds the
// package first if needed. `npm run soak -- --kills 30 --seed 7 --workers 3`; more are killed until every fault has
// occurred. The exit code is 0 if all agree. Then the folder is removed; otherwise it is kept and named.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { startBystanders } from './bystanders.js';
import { createCrew } from './crew.js';
import { startGateways } from './licences.js';
import { readOptions } from './options.js';
import { createPhases } from './phases.js';
import { createRandom } from './random.js';
import { endWith, problemsOf, tellTroubles } from './verdict.js';

const BYSTANDERS = ['foreign-closer.js', 'forgetful.js', 'status.js'].map((name) => new URL(name, import.meta.url));

const { kills, seed, workers } = readOptions({ kills: 300, workers: 3 });
const folder = await mkdtemp(join(tmpdir(), 'location-sdk-soak-'));
const file = join(folder, 'outbox.db');
// The outbox exists before others open it.
const watched = await sqliteStore({ file });
const gateways = await startGateways(seed, async (ids) => (await watched.get(ids)).map((row) => row?.state));

const chance = createRandom(seed);
const phases = createPhases({ gateways, chance, goodMs: [1_000, 5_000] });
const crew = createCrew({
  worker: new URL('worker.js', import.meta.url),
  taskOf: (name, drain) => ({ file, destinations: gateways.destinations, name, drain }),
  kills,
  workers,
  chance,
  stoppedMs: [1_700, 2_600],
  isEnough: phases.isEnough,
  progress() {
    const { killed, stopped } = crew.counts;
    const line = `soak: ${killed}/${kills} killed, ${stopped} stopped, ${crew.accepted.size} accepted, ${gateways.done()} at the gateways, ${gateways.lost()} answers lost`;
    if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
    else if (killed % 30 === 0) process.stderr.write(`${line}\n`);
  },
});
// After any failure the data that could explain it is kept and named.
process.on('SIGINT', () => process.exit(130));
process.on('exit', (code) => {
  if (code !== 0) console.error(`soak: FAILED; seed ${seed}; the outbox is kept in ${folder}`);
});

console.log(`soak: seed ${seed}, ${kills} kills, ${workers} workers on ${file}`);
const began = performance.now();
const bystanders = startBystanders(BYSTANDERS, file);
const turningAway = phases.run();
await crew.killAll();
phases.end();
await turningAway;
const isSent = await crew.finish(1);
const { looked, problems: seen } = await bystanders.stop();
if (process.stderr.isTTY) process.stderr.write('\n');

const { accepted, told, errors, counts } = crew;
await watched.close?.();
const store = await sqliteStore({ file });
const { problems, recorded, quarantined, decided, alreadyRecorded } = await problemsOf({ store, accepted, gateways });
await store.close?.();
problems.push(
  ...crew.problems,
  ...seen,
  ...[...errors.keys()].filter((error) => error.includes('deleted or replaced')),
);
if (!isSent) problems.push('the waiting reports could not be sent at the end');
const lost = gateways.lost();
await gateways.close();
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(
  `soak: ${recorded.size} reports recorded, ${quarantined.size} quarantined since the gateway refused them, ${accepted.size} known to be accepted; ${counts.killed} processes killed and ${counts.stopped} stopped in ${seconds} s`,
);
console.log(
  `soak: ${lost} answers lost after recording; ${alreadyRecorded} reports found recorded already; ${told.late} late ends not written; ${told.error} errors`,
);
console.log(`soak: decisions about ${decided.reports} bets and their settlements: ${decided.decisions}`);
console.log(`soak: opened and closed, with pauses and bindings deleted, beside the workers: ${looked}`);
tellTroubles(gateways.struck);
for (const error of errors.keys()) console.log(`soak: error of a worker: ${error}`);
endWith(problems);
await rm(folder, { recursive: true });
console.log('soak: the outbox and the gateways agree, report by report');
