// The cost of `location-sdk outbox … import`, as a separate process that checks every line of a CSV file and then
// enqueues it, compared with an operator's own script that reads the same file and calls `reportAll` (`report-all.js`).
// They alternate, each with a new SQLite file. Fails if a promised value is missed. `node bench/import.js --lines
// 1000000 --kills 20` also kills the import this number of times with SIGKILL, continues it, and has another program
// count the outbox's reports.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DatabaseSync as Database } from '@photostructure/sqlite';
import { median } from './measure.js';
import { thisRuntime } from './process.js';
import { promise } from './reports.js';
import { sizeOf } from './smoke.js';
import { fixed, mega, whole } from './words.js';

const PROMISED = { perSecond: 10_000, ratio: 0.8, memory: 1.25 };
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const NAMES =
  'bet_id,win_amount,payout_amount,outcome,ggr,ur,user.user_id,user.first_name,user.last_name,user.resident_address,user.resident_lga,user.resident_state,user.is_resident,user.nin,user.tax_id';

const { values } = parseArgs({
  options: { lines: { type: 'string' }, kills: { type: 'string', default: '0' }, smoke: { type: 'boolean' } },
});
const lines = Number(values.lines ?? sizeOf(1_000_000, 500));
const kills = Number(values.kills);
const rounds = lines > 200_000 ? 1 : sizeOf(3, 1);

const folder = await mkdtemp(join(tmpdir(), 'location-sdk-bench-'));
let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `${files}.db`);
};

/** @param {string} file @param {number} count */
async function writeLines(file, count) {
  const out = createWriteStream(file);
  let text = `${NAMES}\n`;
  for (let index = 0; index < count; index += 1) {
    text += `B-${index},2175.50,3675.25,WIN,-2175.5,0,U-${index},Adaeze,Okonkwo,12 Ogui Road,Enugu North,ENUGU,true,${String(index).padStart(11, '0')},2034567000001\n`;
    if (text.length < 1_000_000) continue;
    if (!out.write(text)) await once(out, 'drain');
    text = '';
  }
  out.end(text);
  await once(out, 'finish');
}

/** @param {string} outbox @param {string} csv */
function startImport(outbox, csv) {
  const words = [CLI, 'outbox', outbox, 'import', csv, '--operation', 'reportSettledBet', '--json'];
  const { LOCATION_SDK_MOCK: _, ...env } = process.env;
  return spawn(process.execPath, words, {
    env: { ...env, LOCATION_SDK_STAGING_BASE_URL: 'https://gateway.example.com' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Lines a second, and the process's highest memory use. @param {string} csv @param {number} count */
async function importing(csv, count) {
  const began = performance.now();
  const child = startImport(newFile(), csv);
  let memory = 0;
  const watched = setInterval(() => {
    memory = Math.max(memory, residentOf(child.pid) || 0);
  }, 100);
  const [code] = await once(child, 'exit');
  clearInterval(watched);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return { perSecond: (count / (performance.now() - began)) * 1_000, memory };
}

/** A process's highest memory use, in bytes. 0 if the system does not report it. @param {number | undefined} pid */
function residentOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
  } catch {
    return 0;
  }
}

/**
 * Lines a second of the same in a process of its own, as the import has one.
 * @param {string} csv
 * @param {number} count
 */
async function reporting(csv, count) {
  const began = performance.now();
  const child = fork(fileURLToPath(new URL('report-all.js', import.meta.url)), [newFile(), csv]);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`reportAll ended with ${code}`);
  return (count / (performance.now() - began)) * 1_000;
}

/**
 * The outbox's reports, counted by a program that shares nothing with this package, if there is one.
 * @param {string} file
 */
function countRows(file) {
  const query = 'SELECT count(*), count(DISTINCT reference) FROM outbox_rows';
  const script = `import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute("${query}").fetchone())`;
  try {
    const [rows, references] = execFileSync('python3', ['-c', script, file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split(' ')
      .map(Number);
    return { by: 'python3', rows, references };
  } catch {
    const database = new Database(file);
    const [rows, references] = Object.values(/** @type {object} */ (database.prepare(query).get())).map(Number);
    database.close();
    return { by: '@photostructure/sqlite', rows, references };
  }
}

/** Kills an import at random moments, from its first commit on, and continues it. @param {string} csv */
async function killing(csv) {
  const outbox = newFile();
  let killed = 0;
  for (let ended = false; !ended; ) {
    const child = startImport(outbox, csv);
    const exit = once(child, 'exit');
    if (killed < kills) {
      // The check comes first: it is killed once it writes again.
      const goal = Math.max(1, Math.floor((lines * killed) / (kills + 1)));
      while (child.exitCode === null && (await stat(outbox).catch(() => undefined)) === undefined) await sleep(20);
      while (child.exitCode === null && (countRows(outbox).rows ?? 0) < goal) await sleep(100);
      await sleep(Math.random() * 300);
      child.kill('SIGKILL');
    }
    const [code, signal] = await exit;
    if (signal === 'SIGKILL') killed += 1;
    else if (code !== 0) throw new Error(`the import ended with ${code}`);
    ended = signal === null;
    if (signal !== null)
      console.log(`killed ${killed} times, ${whole(countRows(outbox).rows ?? 0)} reports in the outbox`);
  }
  const { by, rows, references } = countRows(outbox);
  console.log(`counted by ${by}\n`);
  promise(
    `killed ${killed} times, the outbox holds each of ${whole(lines)} lines once`,
    killed === kills && rows === lines && references === lines,
  );
}

console.log(
  `${thisRuntime.name}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; ${whole(lines)} lines\n`,
);
try {
  const [csv, short] = [join(folder, 'bets.csv'), join(folder, 'short.csv')];
  await writeLines(csv, lines);
  await writeLines(short, Math.ceil(lines / 4));
  /** @type {{ imported: number, reported: number, memory: number }[]} */
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    // They alternate in the first place.
    const before = round % 2 === 0 ? undefined : await reporting(csv, lines);
    const { perSecond, memory } = await importing(csv, lines);
    measured.push({ imported: perSecond, memory, reported: before ?? (await reporting(csv, lines)) });
    console.log(`import ${whole(perSecond)} lines a second, reportAll ${whole(measured.at(-1)?.reported ?? 0)}`);
  }
  const [imported, ratio] = [
    median(measured.map((one) => one.imported)),
    median(measured.map((one) => one.imported / one.reported)),
  ];
  const { memory: least } = await importing(short, Math.ceil(lines / 4));
  const most = Math.max(...measured.map(({ memory }) => memory));
  console.log('');
  promise(
    `import takes ${whole(imported)} lines a second, checked and enqueued (at least ${whole(PROMISED.perSecond)})`,
    imported >= PROMISED.perSecond,
  );
  promise(`that is ${fixed(ratio)} of what reportAll takes (at least ${PROMISED.ratio})`, ratio >= PROMISED.ratio);
  promise(
    `its memory is ${mega(most)}, ${fixed(most / least)} of that for a quarter of the lines (at most ${PROMISED.memory})`,
    most / least <= PROMISED.memory,
  );
  if (kills > 0) await killing(csv);
} finally {
  await rm(folder, { recursive: true });
}
