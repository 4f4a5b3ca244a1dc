// The gateway refuses all requests for a while, then works for a while: each time in another way.
import { STATUS_CODES } from 'node:http';
import { sleep } from './random.js';

const LOOK_MS = 20;
const BAD_MS = [500, 2_000];
const GOOD_MS = [4_000, 12_000];
/** Before the required ones. */
const FIRST_GOOD_MS = [50, 400];

/** @param {number} status @param {{ 'retry-after'?: string }} [headers] */
const json = (status, headers = {}) => ({
  name: [`${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join(', '),
  status,
  headers,
  text: JSON.stringify({ message: 'Told to answer so', error: STATUS_CODES[status], statusCode: status }),
});
/** A page, as from a proxy. @param {number} status */
const page = (status) => ({
  name: `${status} with a page (text/html)`,
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  text: `<!doctype html><html lang="en"><title>${status}</title><h1>${status} ${STATUS_CODES[status]}</h1></html>`,
});
const LONG_AGO = new Date(0).toUTCString();

/** Answers that say nothing about a report. @type {readonly import('./front.js').TurnedAway[]} */
const NEEDED = [json(403), page(404), json(429, { 'retry-after': '0' })];
/** @type {readonly import('./front.js').TurnedAway[]} */
const TURNED_AWAY = [
  ...NEEDED,
  json(429, { 'retry-after': '1' }),
  json(429, { 'retry-after': LONG_AGO }),
  json(503),
  json(503, { 'retry-after': '0' }),
  json(500),
  json(502),
  page(502),
  json(401),
  page(403),
  json(405),
];
/** Without these a soak has tested nothing. */
export const NEEDED_PHASES = NEEDED.map(({ name }) => name);

/**
 * Runs through all of them, again and again, in random order. The required ones come first, each until it has occurred.
 *
 * @param {object} options
 * @param {Pick<Awaited<ReturnType<typeof import('./licences.js').startGateways>>, 'turnAway' | 'isBack' | 'struck'>}
 * options.gateways
 * @param {ReturnType<typeof import('./random.js').createRandom>} options.chance
 * @param {readonly number[]} [options.goodMs] How long the gateway works in between.
 */
export function createPhases({ gateways, chance: { between, random }, goodMs = GOOD_MS }) {
  const counts = { periods: 0 };
  const needed = [...NEEDED];
  let isOver = false;
  /** @type {import('./front.js').TurnedAway[]} */
  let left = [];

  /** @param {import('./front.js').TurnedAway} answer */
  async function turnAway(answer) {
    const stop = gateways.turnAway(answer);
    await sleep(between(BAD_MS));
    while (!isOver && !gateways.struck.has(answer.name)) await sleep(LOOK_MS);
    stop();
    counts.periods += 1;
  }

  return {
    counts,
    /** Whether all required ones have occurred. */
    isEnough: () => needed.length === 0,
    /** Resolves after `end`. */
    async run() {
      for (;;) {
        const [first] = needed;
        await sleep(between(first ? FIRST_GOOD_MS : goodMs));
        // The probes of a pause that never ends slow down to one a minute, and the soak would wait for each of
        // them.
        while (!first && !isOver && !gateways.isBack()) await sleep(LOOK_MS);
        if (isOver) return;
        if (first) {
          await turnAway(first);
          needed.shift();
          continue;
        }
        if (left.length === 0)
          left = TURNED_AWAY.filter((answer) => !NEEDED.includes(answer) || counts.periods > NEEDED.length);
        const [answer] = left.splice(Math.floor(random() * left.length), 1);
        if (answer) await turnAway(answer);
      }
    },
    end() {
      isOver = true;
    },
  };
}
