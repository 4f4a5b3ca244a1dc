// The cost of `location-sdk outbox … import`, as a separate process that checks every line of a CSV file and then
// enqueues it, compared with an operator's own script that reads the same file and calls `reportAll` (`report-all.js`).
// Each run has a new SQLite file. `node bench/import.js --lines 1000000 --kills 20` instead kills the import this number
// of times with SIGKILL, continues it, and has another program count the outbox's reports.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DatabaseSync as Database } from '@photostructure/sqlite';
import { builds, NOW, nameOf } from './builds.js';
import { compare, LEAST, resultOf, table } from './measure.js';
import { sizeOf } from './options.js';
import { ask, judge, promises, slipOf, tell } from './promises.js';
import { check } from './reports.js';
import { whole } from './words.js';

const NAMES =
  'bet_id,win_amount,payout_amount,outcome,ggr,ur,user.user_id,user.first_name,user.last_name,user.resident_address,user.resident_lga,user.resident_state,user.is_resident,user.nin,user.tax_id';

const { values } = parseArgs({
  options: { lines: { type: 'string' }, kills: { type: 'string', default: '0' } },
  strict: false,
});
const lines = Number(values.lines ?? sizeOf(20_000, 500));
const kills = Number(values.kills);

const folder = await mkdtemp(join(tmpdir(), 'location-sdk-bench-'));
let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `${files}.db`);
};

/** @param {string} file @param {number} count */
async function writeLines(file, count) {
  const out = createWriteStream(file);
  let piece = `${NAMES}\n`;
  for (let index = 0; index < count; index += 1) {
    piece += `B-${index},2175.50,3675.25,WIN,-2175.5,0,U-${index},Adaeze,Okonkwo,12 Ogui Road,Enugu North,ENUGU,true,${String(index).padStart(11, '0')},2034567000001\n`;
    if (piece.length < 1_000_000) continue;
    if (!out.write(piece)) await once(out, 'drain');
    piece = '';
  }
  out.end(piece);
  await once(out, 'finish');
}

/** Makes a process write at its end what it has used. */
const TELL_USAGE = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, JSON.stringify(process.resourceUsage())));",
)}`;

/** For new objects. With more room V8 collects garbage later, and a process's memory tells how late. */
const LITTLE_ROOM = ['--max-semi-space-size=1'];

/** @param {readonly string[]} words */
function start(words) {
  const { LOCATION_SDK_MOCK: _, ...env } = process.env;
  return spawn(process.execPath, ['--import', TELL_USAGE, ...words], {
    env: { ...env, LOCATION_SDK_STAGING_BASE_URL: 'https://gateway.example.com' },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
}

/** @param {string} outbox @param {string} csv */
const wordsOfImport = (outbox, csv, build = NOW) => {
  const cli = fileURLToPath(new URL('cli.js', build.folder));
  return [cli, 'outbox', outbox, 'import', csv, '--operation', 'reportSettledBet', '--json'];
};

/**
 * The time of a whole process that enqueues these lines, and its largest memory, in bytes.
 * @param {readonly string[]} words @param {number} times
 */
async function measure(words, times) {
  const began = performance.now();
  const child = start(words);
  const used = text(/** @type {import('node:stream').Readable} */ (child.stdio[3]));
  const [code] = await once(child, 'exit');
  const took = performance.now() - began;
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(await used);
  return { times, took, processor: (userCPUTime + systemCPUTime) / 1_000, memory: maxRSS * 1_024 };
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
    const child = start(wordsOfImport(outbox, csv));
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
  check(
    `killed ${killed} times, the outbox holds each of ${whole(lines)} lines once`,
    killed === kills && rows === lines && references === lines,
  );
}

async function comparing() {
  const [csv, long] = [join(folder, 'bets.csv'), join(folder, 'long.csv')];
  await writeLines(csv, lines);
  await writeLines(long, lines * 4);
  const script = fileURLToPath(new URL('report-all.js', import.meta.url));
  const imports = builds.map((build) => ({
    key: `import${build.key}`,
    name: nameOf('import', build),
    turn: () => measure(wordsOfImport(newFile(), csv, build), lines),
  }));
  const asked = ask([promises.importing, 'import', 'bound'], ...slipOf('import of a file', 'import'));
  const results = await compare(
    [
      { key: 'reportAll', name: 'reportAll', turn: () => measure([script, newFile(), csv], lines) },
      ...imports,
      {
        key: 'bound',
        name: 'reportAll, after a check of all lines',
        turn: () => measure([script, newFile(), csv, '--check-first'], lines),
      },
    ],
    { neededAfter: asked.neededAfter, until: 0.55 },
  );
  const { rates, processorRates } = resultOf(results, 'import');
  /** @type {number[]} */
  const growths = [];
  for (let round = 1; round <= LEAST; round += 1) {
    const few = await measure([...LITTLE_ROOM, ...wordsOfImport(newFile(), csv)], lines);
    const many = await measure([...LITTLE_ROOM, ...wordsOfImport(newFile(), long)], lines * 4);
    growths.push(many.memory / few.memory);
  }
  asked.answer(results);
  judge(promises.importingRate, rates, { processor: processorRates });
  judge(promises.importingMemory, growths);
  tell(`Import of ${whole(lines)} lines, each a process with a new SQLite file`, table(results, 'reportAll'));
}

try {
  if (kills > 0) {
    const csv = join(folder, 'bets.csv');
    await writeLines(csv, lines);
    await killing(csv);
  } else await comparing();
} finally {
  await rm(folder, { recursive: true });
}
