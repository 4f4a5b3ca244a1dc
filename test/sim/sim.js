// Runs many seeded histories of the outbox in virtual time (test/sim) with the source's own decisions,
// and fails if a rule is broken or a situation never occurred.
//
// npm run sim                              100,000 histories
// npm run sim -- --histories 1000000       more of them; --from 5000 begins with another seed
// npm run sim -- --seed 17                 the history of one seed, in readable lines
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';

const BATCH = 2_000;
/** From this number of histories on, a missing situation is a fault of the simulation. */
const MEETS_ALL = 100_000;
const SHOWN = 10;

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '100000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    threads: { type: 'string' },
  },
});

/** A whole number from the command line. @param {string} name @param {string} text */
function whole(name, text) {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  console.error(`--${name}: expected a whole number of at most nine digits, got ${JSON.stringify(text)}`);
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'location-sdk-sim-'));
const outfile = join(folder, 'batch.mjs');
try {
  await build({
    entryPoints: ['test/sim/batch.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  /** @type {typeof import('./batch.js')} */
  const simulation = await import(pathToFileURL(outfile).href);
  process.exitCode =
    values.seed === undefined ? await runMany(simulation) : await runOne(simulation, whole('seed', values.seed));
} finally {
  await rm(folder, { recursive: true });
}

/** @param {typeof import('./batch.js')} simulation @param {number} seed */
async function runOne({ replay }, seed) {
  const { lines, message } = await replay(seed);
  console.log(lines.join('\n'));
  console.log(message === undefined ? `\nSeed ${seed}: every rule holds.` : `\nSeed ${seed} breaks a rule: ${message}`);
  return message === undefined ? 0 : 1;
}

/** @param {typeof import('./batch.js')} simulation */
async function runMany(simulation) {
  const histories = whole('histories', values.histories);
  const first = whole('from', values.from);
  const threads = values.threads === undefined ? availableParallelism() : Math.max(1, whole('threads', values.threads));
  const coverage = simulation.emptyCoverage();
  /** @type {{ seed: number, message: string }[]} */
  const failed = [];
  const began = performance.now();
  // Of all threads, including compilation and garbage collection.
  const beganCpu = process.cpuUsage();
  let given = 0;
  let done = 0;

  const progress = () => {
    if (!process.stderr.isTTY) return;
    const rate = Math.round((done / (performance.now() - began)) * 1_000);
    process.stderr.write(
      `\r${done.toLocaleString('en')} of ${histories.toLocaleString('en')} histories, ${rate.toLocaleString('en')} a second, ${failed.length} broken `,
    );
  };

  /** Gives one thread batch after batch, until none is left. */
  const work = () =>
    new Promise((resolve, reject) => {
      const thread = new Worker(outfile, { workerData: { simulation: true } });
      const next = () => {
        const count = Math.min(BATCH, histories - given);
        if (count <= 0) return void thread.terminate().then(resolve);
        thread.postMessage({ from: first + given, count });
        given += count;
      };
      thread.on('error', reject);
      thread.on('message', (message) => {
        if (message !== 'ready') {
          /** @type {import('./batch.js').BatchResult} */
          const result = message;
          simulation.addCoverage(coverage, result.coverage);
          failed.push(...result.failed);
          done += result.count;
          progress();
        }
        next();
      });
    });

  await Promise.all(Array.from({ length: threads }, work));
  const seconds = (performance.now() - began) / 1_000;
  if (process.stderr.isTTY) process.stderr.write('\n');

  const { user, system } = process.cpuUsage(beganCpu);
  console.log(simulation.showCoverage(coverage));
  console.log(
    `\n${done.toLocaleString('en')} histories in ${seconds.toFixed(1)} s with ${threads} threads: ${Math.round(done / seconds).toLocaleString('en')} a second, ` +
      `${Math.round((done / (user + system)) * 1_000_000).toLocaleString('en')} for each second of a core.`,
  );
  const unmet = histories >= MEETS_ALL ? simulation.unmet(coverage) : [];
  if (unmet.length > 0)
    console.log(
      `Never occurred: ${unmet.join('; ')}. A simulation that does not reach a situation proves nothing about it.`,
    );
  failed.sort((a, b) => a.seed - b.seed);
  for (const { seed, message } of failed.slice(0, SHOWN)) console.log(`Seed ${seed} breaks a rule: ${message}`);
  const [worst] = failed;
  if (worst) {
    console.log(
      `${failed.length} histories break a rule. The first, line by line (again with: npm run sim -- --seed ${worst.seed}):\n`,
    );
    await runOne(simulation, worst.seed);
  } else console.log('Every rule holds in every history.');
  return failed.length + unmet.length > 0 ? 1 : 0;
}
