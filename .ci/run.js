// All checks, in an empty clone with Node.js alone: `bash .ci/run`. The table below is the list of them. The last line
// is "== PASSED in N s" or "== FAILED: <steps>"; before it stands the end of the output of each failed step. TERM, INT
// and HUP end all started processes. It takes about 45 minutes on two cores.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));
const work = mkdtempSync(join(tmpdir(), 'location-sdk-ci-'));

/** The output of a git command, or '' if it fails. @param {string[]} words */
function git(...words) {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
const head = git('rev-parse', 'HEAD');
const landed = git('rev-parse', '--verify', '--quiet', 'origin/main');
/** The commit with which the changed files are compared: the last landed one, or the one before this. */
const before = landed && landed !== head ? landed : git('rev-parse', '--verify', '--quiet', 'HEAD~1');
/** The first history of the simulation. Each commit has another one. */
const seed = Number.parseInt(head.slice(0, 7) || '1', 16);

/** As on a machine without a browser, a font and a browser's libraries. @param {string} command */
const hidden = (command) => `.ci/hide-system bash -c '${command}'`;
const inClone = `cd ${work} && unset LC_ALL && export TZ=Pacific/Auckland LANG=de_DE.UTF-8`;

/**
 * The steps of a stage are queues side by side, at most two. A step that fails stops no other step of its stage, and
 * the next stage does not start. A step is a command of bash; an entry with two texts gives it a short name.
 * @type {readonly (readonly (readonly (string | readonly [name: string, command: string])[])[])[]}
 */
const STAGES = [
  // The commands of the README on a clean checkout.
  [[hidden('npm ci && npm test')]],
  [[hidden('npm run test:all')]],
  [
    [
      'npm run lint',
      'npm run types',
      'npm run size',
      'npm run docs',
      // In another time zone and language. The check of the package compares its build with the one here.
      [
        'copy of the files',
        `git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory ${work}`,
      ],
      ['demo in an empty clone', `${inClone} && ${hidden('npm ci --prefer-offline && npm run demo')}`],
      ['check of the package', `SECOND_BUILD=${work} node test/packaging/run.js`],
      // These install Debian's packages where apt-get can, so they come after the demo, and in one queue.
      'node test/runtimes/run.js --firefox',
      'node test/drivers/run.js',
      'node test/debian-postgres.js',
      'node test/debian-prometheus.js',
      'node test/postgres/run.js',
      'npm run test:frameworks',
      'npm run soak',
    ],
    [
      // Two fifths of its reports and kills: whole, it takes eleven minutes by itself.
      'npm run soak:postgres -- --reports 8000 --kills 80',
      `npm run sim -- --histories 300000 --from ${seed} --threads 1`,
      before
        ? `npm run test:mutation -- --since ${before} --concurrency 1`
        : ['mutation', 'echo "No rule file was mutated: this clone holds no earlier commit to compare with."'],
      'npm run soak:refusal',
      // Only starts each measurement of the bench: the last stage measures with --quick, which leaves some out.
      'npm --prefix bench ci && npm --prefix bench run types && node bench/main.js --smoke',
    ],
  ],
  // Alone, since it compares times. It ends with 2 if a promise is undecided, which a busy machine may be the reason of.
  [[['node bench/main.js --quick', 'node bench/main.js --quick || test $? = 2']]],
];

const began = performance.now();
const secondsSince = (/** @type {number} */ start) => Math.round((performance.now() - start) / 1_000);
const print = (/** @type {string} */ text) => void process.stdout.write(text);
/** @typedef {{ name: string, said: string, live: boolean }} Running */
/** @type {Set<Running>} */
const running = new Set();
/** @type {Running[]} */
const failed = [];
let passed = 0;

/**
 * Runs a step. Its output is printed at once if it runs alone, otherwise when it ends.
 * @param {string} name
 * @param {string} command
 * @param {boolean} live
 */
async function run(name, command, live) {
  const start = performance.now();
  const step = { name, said: '', live };
  running.add(step);
  print(`== ${name}\n`);
  // With a process group of its own, so that a Ctrl+C reaches only this program, which ends all others.
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      step.said += text;
      if (live) print(text);
    });
  }
  /** @type {number | string} */
  const code = await new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (exit, signal) => resolve(exit ?? signal ?? '?'));
    // A process that the step has left behind keeps its output open.
    child.once('exit', () => setTimeout(() => endGroup(child.pid), 1_000).unref());
  });
  if (ending) return;
  running.delete(step);
  if (!live) print(`== The output of: ${name}\n${step.said}`);
  if (code === 0) passed += 1;
  else failed.push(step);
  print(`== ${code === 0 ? '' : `FAILED (${code}) after `}${secondsSince(start)} s: ${name}\n`);
}

/** @param {number | undefined} group */
function endGroup(group) {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch {
    // All its processes have ended.
  }
}

/** The processes that this program has started and that still run, also those in other sessions. */
function descendants() {
  /** @type {Map<number, number>} */
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (state !== 'Z') parents.set(Number(name), Number(parent));
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (/** @type {number | undefined} */ pid) => {
    let parent = pid;
    while (parent !== undefined && parent !== process.pid) parent = parents.get(parent);
    return parent === process.pid;
  };
  return { ours: [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid)), living: parents };
}

async function endDescendants() {
  const all = new Set(descendants().ours);
  for (let tries = 0; tries < 50; tries += 1) {
    const { ours, living } = descendants();
    for (const pid of ours) all.add(pid);
    const left = [...all].filter((pid) => living.has(pid));
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        if (tries === 0 || tries >= 15) process.kill(pid, tries === 0 ? 'SIGTERM' : 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

let ending = false;
/** @param {number} code */
async function end(code) {
  if (ending) return;
  ending = true;
  const unfinished = [...running];
  await endDescendants();
  for (const { name, said, live } of unfinished) if (!live) print(`== The output so far of: ${name}\n${said}`);
  const bad = new Set([...failed, ...unfinished]);
  for (const { name, said } of failed)
    print(`== The end of the output of: ${name}\n${said.trimEnd().split('\n').slice(-150).join('\n')}\n`);
  rmSync(work, { recursive: true, force: true });
  print(`${passed} passed, ${bad.size} failed\n`);
  print(
    code === 0
      ? `== PASSED in ${secondsSince(began)} s\n`
      : `== FAILED: ${[...bad].map(({ name }) => name).join('; ') || `exit code ${code}`}\n`,
  );
  process.exit(code);
}
for (const [signal, code] of /** @type {const} */ ([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
]))
  process.on(signal, () => void end(code));

for (const queues of STAGES) {
  await Promise.all(
    queues.map(async (steps) => {
      for (const step of steps) {
        const [name, command] = typeof step === 'string' ? [step, step] : step;
        if (!ending) await run(name, command, queues.length === 1);
      }
    }),
  );
  if (failed.length > 0) break;
}
await end(failed.length > 0 ? 1 : 0);
