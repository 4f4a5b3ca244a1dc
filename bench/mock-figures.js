// Measures the built mock gateway from outside: how soon it is ready, how many settled bets it accepts a second over
// loopback from a generator in this process, and the memory of a report. Fails if a promised value is missed. `npm run
// figures:mock` builds the package first if needed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

const PROMISED = { readyMs: 500, perSecond: 3_000, bytes: 2_048 };
const STARTS = 5;
const LONGEST_MS = 10_000;
const MOST_REPORTS = 40_000;
const CONNECTIONS = 16;

const CLI = new URL('../dist/cli.js', import.meta.url).pathname;
/**
 * Lets this process ask the server, over a separate channel, for the size of its objects after a garbage collection.
 */
const ASK_MEMORY = `data:text/javascript,${encodeURIComponent(
  "process.on('message', () => { gc(); process.send(process.memoryUsage().heapUsed + process.memoryUsage().external); }); process.channel.unref();",
)}`;

async function start() {
  const began = performance.now();
  const child = spawn(process.execPath, ['--expose-gc', '--import', ASK_MEMORY, CLI, 'mock', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(
    createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }),
    'line',
  );
  const readyMs = performance.now() - began;
  return { child, readyMs, url: JSON.parse(line).url };
}

/** @param {import('node:child_process').ChildProcess} child */
async function stop(child) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** @param {import('node:child_process').ChildProcess} child */
async function memoryOf(child) {
  child.send('memory');
  const [bytes] = await once(child, 'message');
  return Number(bytes);
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** @param {string} address @param {string} body @returns {Promise<void>} */
function post(address, body) {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-api-key': 'mock-api-key',
  };
  return new Promise((resolve, reject) => {
    const asked = request(address, { method: 'POST', agent, headers }, (answer) => {
      answer
        .resume()
        .once('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${address}: ${answer.statusCode}`)),
        );
    });
    asked.once('error', reject).end(body);
  });
}

/**
 * Posts bodies one after the other on each connection, until `most` are done or the time is over. Returns their number
 * and the time.
 * @param {string} address
 * @param {(index: number) => object} bodyOf
 * @param {number} most
 */
async function load(address, bodyOf, most) {
  const began = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < most && performance.now() - began < LONGEST_MS) {
      next += 1;
      await post(address, JSON.stringify(bodyOf(next)));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return { reports: next, seconds: (performance.now() - began) / 1_000 };
}

/** Of different players, as in production: no text is stored only once. @param {number} index */
const user = (index) => ({
  user_id: `U-${index}`,
  first_name: `Adaeze ${index}`,
  last_name: `Okonkwo ${index}`,
  resident_address: `${index} Ogui Road`,
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: String(99_000_000_000 + index),
  tax_id: String(2_034_567_000_000 + index),
});
const location = { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', country: 'NG', source: 'gps' };
const bet = (/** @type {number} */ index) => ({
  bet_id: `BET-${index}`,
  amount: 1500 + index,
  timestamp: '1795161600',
  user: user(index),
  location,
});
const settled = (/** @type {number} */ index) => ({
  bet_id: `BET-${index}`,
  user: user(index),
  win_amount: 2175 + index,
  payout_amount: 3675.5,
  outcome: 'WIN',
  ggr: -2175.25,
  ur: 0,
});

const starts = [];
for (let round = 0; round < STARTS; round += 1) {
  const { child, readyMs } = await start();
  starts.push(readyMs);
  await stop(child);
}
const readyMs = starts.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? Number.NaN;

const { child, url } = await start();
const base = `${url}/integration-gateway/external/`;
const initiated = await load(`${base}report-bet-event`, bet, MOST_REPORTS);
const before = await memoryOf(child);
const { reports, seconds } = await load(`${base}report-settled-bet-event`, settled, initiated.reports);
const bytes = ((await memoryOf(child)) - before) / reports;
await stop(child);
agent.destroy();

const perSecond = reports / seconds;
const row = (/** @type {string} */ what, /** @type {number} */ figure, /** @type {string} */ promise) =>
  console.log(`${what.padEnd(46)}${Math.round(figure).toLocaleString('en').padStart(8)}   promised: ${promise}`);
row(`start to ready line, ms (median of ${STARTS})`, readyMs, `under ${PROMISED.readyMs}`);
row(
  `settled bets a second (${reports.toLocaleString('en')} in ${seconds.toFixed(1)} s)`,
  perSecond,
  `at least ${PROMISED.perSecond.toLocaleString('en')}`,
);
row('bytes of memory for a settled bet', bytes, `at most ${PROMISED.bytes.toLocaleString('en')}`);
console.log(
  `initiated bets a second: ${Math.round(initiated.reports / initiated.seconds).toLocaleString('en')}; ${CONNECTIONS} connections`,
);
if (readyMs >= PROMISED.readyMs || perSecond < PROMISED.perSecond || bytes > PROMISED.bytes) {
  console.error('A promised value was missed.');
  process.exitCode = 1;
}
