// Drives Debian's Firefox by WebDriver BiDi, which Firefox speaks itself: no driver is needed.
import { spawn } from 'node:child_process';
import { WebSocket } from 'undici';

const START_MS = 30_000;
const COMMAND_MS = 30_000;

/** @typedef {{ method: string, params: any }} BidiEvent */

/**
 * Starts Firefox over a profile and opens a session. Throws if either takes too long.
 * @param {{ path: string, env: NodeJS.ProcessEnv }} executable
 * @param {readonly string[]} args
 */
export async function startFirefox({ path, env }, args) {
  const child = spawn(path, ['--headless', '--remote-debugging-port', '0', ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  /** Ends all its processes at once, like an empty battery. */
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  try {
    const address = await within(START_MS, 'Firefox did not write its address', (resolve) => {
      let written = '';
      child.stderr.setEncoding('utf8').on('data', (text) => {
        written += text;
        const found = /WebDriver BiDi listening on (ws:\S+)/.exec(written)?.[1];
        if (found) resolve(found);
      });
    });
    const session = await openSession(`${address}/session`);
    return { ...session, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

/**
 * @param {number} milliseconds
 * @param {string} problem
 * @param {(resolve: (value: any) => void, reject: (error: Error) => void) => void} work
 * @returns {Promise<any>}
 */
function within(milliseconds, problem, work) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${problem} within ${milliseconds / 1_000} s.`)), milliseconds);
    const end = (/** @type {(value: any) => void} */ settle) => (/** @type {any} */ value) => {
      clearTimeout(timer);
      settle(value);
    };
    work(end(resolve), end(reject));
  });
}

/** @param {string} address */
async function openSession(address) {
  const socket = new WebSocket(address);
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  /** @type {BidiEvent[]} */
  const events = [];
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.type === 'event') events.push(message);
    else waiting.get(message.id)?.(message);
  });
  await within(START_MS, 'Firefox did not accept the connection', (resolve, reject) => {
    socket.addEventListener('open', () => resolve(undefined));
    socket.addEventListener('error', () => reject(new Error('Firefox refused the connection.')));
  });

  /** @param {string} method @param {object} params */
  const send = async (method, params) => {
    last += 1;
    const id = last;
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await within(COMMAND_MS, `${method} did not end`, (resolve) => waiting.set(id, resolve));
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`);
    return answer.result;
  };
  await send('session.new', { capabilities: {} });

  /** Loads a page in a tab. @param {string} context @param {string} url */
  const load = (context, url) => send('browsingContext.navigate', { context, url, wait: 'complete' });

  return {
    /** All events of the subscriptions so far. */
    events,
    send,
    load,
    /** Opens a tab with a page. Resolves with its context when the page has loaded. @param {string} url */
    async open(url) {
      const { context } = await send('browsingContext.create', { type: 'tab' });
      await load(context, url);
      return context;
    },
    /** @param {string} context */
    close: (context) => send('browsingContext.close', { context }),
    /**
     * The value of an expression in a tab, as JSON carries it. A promise is awaited.
     * @param {string} context
     * @param {string} expression
     */
    async evaluate(context, expression) {
      const { result, exceptionDetails } = await send('script.evaluate', {
        expression: `(async () => JSON.stringify({ value: await (${expression}) }))()`,
        target: { context },
        awaitPromise: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return JSON.parse(result.value).value;
    },
  };
}
