// Kills and stops processes that work on one outbox, while the gateway loses answers after it has recorded, and compares at the
// end: no report lost, none recorded twice, none falsely quarantined. Of the built package: `npm run build` first.
// `npm run soak -- --kills 30 --seed 7 --workers 3`; the exit code is 0 where all agree. The folder is removed then, and else kept and named.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startGateway } from './gateway.js';
import { problemsOf } from './verdict.js';

const WORKER = new URL('worker.js', import.meta.url);
/** Beyond the lease of the workers, so that another one has taken what the stopped one held. */
const STOPPED_MS = [1_700, 2_600];
const ALIVE_MS = [20, 400];
const STOP_CHANCE = 0.12;
const SHOWN_PROBLEMS = 20;

const { values } = parseArgs({ options: { kills: { type: 'string' }, seed: { type: 'string' }, workers: { type: 'string' } } });
const kills = Number(values.kills ?? 300);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const workerCount = Number(values.workers ?? 3);
if (![kills, seed, workerCount].every((number) => Number.isInteger(number) && number >= 0) || workerCount < 1) {
  console.error('soak: --kills, --seed and --workers must be whole numbers');
  process.exit(2);
}

/** mulberry32, so that a seed chooses the same kills again; the machine chooses the rest. */
let state = seed >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const between = (/** @type {readonly number[]} */ [least = 0, most = 0]) => least + random() * (most - least);
const sleep = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const folder = await mkdtemp(join(tmpdir(), 'location-sdk-soak-'));
const file = join(folder, 'outbox.db');
const gateway = await startGateway(seed);
// However it ends: nobody is left behind, and what could tell why it failed is kept and named.
process.on('SIGINT', () => process.exit(130));
process.on('exit', (code) => {
  for (const child of children) child.kill('SIGKILL');
  if (code !== 0) console.error(`soak: FAILED; seed ${seed}; the outbox is kept in ${folder}`);
});
/** @type {Set<string>} */
const accepted = new Set();
/** Those that run. @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();
/** What the workers told, by kind. @type {Record<string, number>} */
const told = { recorded: 0, quarantined: 0, late: 0, error: 0 };
/** @type {Set<string>} */
const errors = new Set();
let killed = 0;
let stopped = 0;

/** @param {string} name @param {boolean} drain */
function startWorker(name, drain = false) {
  const child = fork(WORKER, [JSON.stringify({ file, url: gateway.url, name, drain })], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const ready = new Promise((resolve) =>
    child.once('exit', resolve).on('message', (/** @type {{ type: string, event: string }} */ { type, event }) => {
      if (type === 'ready') resolve(undefined);
      else if (type === 'accepted') accepted.add(event);
      else told[type] = (told[type] ?? 0) + 1;
      if (type === 'error') errors.add(event);
    }),
  );
  return { child, ready };
}

function progress() {
  const line = `soak: ${killed}/${kills} killed, ${stopped} stopped, ${accepted.size} accepted, ${gateway.applied.size} at the gateway, ${gateway.lost()} answers lost`;
  if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
  else if (killed % 30 === 0) process.stderr.write(`${line}\n`);
}

/** Starts a worker, lets it live for a while, and kills it, until enough are killed. @param {number} lane */
async function killAgainAndAgain(lane) {
  for (let life = 0; killed < kills; life += 1) {
    const { child, ready } = startWorker(`S${lane}-${life}`);
    await ready;
    await sleep(between(ALIVE_MS));
    if (child.exitCode !== null) throw new Error(`a worker ended by itself, with ${child.exitCode}`);
    if (random() < STOP_CHANCE) {
      child.kill('SIGSTOP');
      stopped += 1;
      await sleep(between(STOPPED_MS));
      child.kill('SIGCONT');
      // It wakes up late, and may do what it was about to.
      await sleep(between(ALIVE_MS));
    }
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    killed += 1;
    progress();
  }
}

console.log(`soak: seed ${seed}, ${kills} kills, ${workerCount} workers on ${file}`);
const began = performance.now();
await Promise.all(Array.from({ length: workerCount }, (_, lane) => killAgainAndAgain(lane)));
const last = startWorker('last', true);
const [code] = await once(last.child, 'exit');
if (process.stderr.isTTY) process.stderr.write('\n');

const { problems, reports, alreadyRecorded } = await problemsOf({ file, accepted, ledger: gateway.ledger(), applied: gateway.applied });
if (code !== 0) problems.push('what waited could not be sent in the end');
if (kills > 0 && alreadyRecorded === 0) problems.push('no report was found recorded already: nothing was put to the test');
const lost = gateway.lost();
await gateway.close();
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(`soak: ${reports} reports, ${accepted.size} known to be accepted; ${killed} processes killed and ${stopped} stopped in ${seconds} s`);
console.log(
  `soak: ${lost} answers lost after recording; ${alreadyRecorded} reports found recorded already; ${told.late} late ends not written; ${told.error} errors`,
);
for (const error of errors) console.log(`soak: error of a worker: ${error}`);
if (problems.length > 0) {
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) console.error(`soak: ${problem}`);
  console.error(`soak: ${problems.length} problems`);
  process.exit(1);
}
await rm(folder, { recursive: true });
console.log('soak: the outbox and the gateway agree, report by report');
