// The gateway turns everything away for a while, then works for a while: each time in another way.
import { sleep } from './random.js';

const BAD_MS = [500, 2_000];
const GOOD_MS = [4_000, 12_000];
const HTML = { 'content-type': 'text/html' };

/** Answers that say nothing about a report. @type {readonly Partial<import('location-sdk/mock').FaultRule>[]} */
const TURNED_AWAY = [
  { status: 429, retryAfter: 1 },
  { status: 429, retryAfter: 0 },
  { status: 429, retryAfter: { date: 0 } },
  { status: 503 },
  { status: 503, retryAfter: 0 },
  { status: 500 },
  { status: 502 },
  { status: 401 },
  { status: 403, body: { message: 'Forbidden' } },
  { status: 403, headers: HTML, body: '<h1>Forbidden</h1>' },
  { status: 404, headers: HTML, body: '<html><body><h1>404 Not Found</h1></body></html>' },
  { status: 405 },
];

/**
 * Goes through all of them, again and again, in an order of chance.
 *
 * @param {object} options
 * @param {Pick<Awaited<ReturnType<typeof import('./gateway.js').startGateway>>, 'misbehave'>} options.gateway
 * @param {ReturnType<typeof import('./random.js').createRandom>} options.chance
 * @param {readonly number[]} [options.goodMs] For how long the gateway works in between.
 */
export function createPhases({ gateway, chance: { between, random }, goodMs = GOOD_MS }) {
  const counts = { periods: 0 };
  let isOver = false;
  /** @type {Partial<import('location-sdk/mock').FaultRule>[]} */
  let left = [];
  return {
    counts,
    /** Resolves after `end`. */
    async run() {
      for (;;) {
        await sleep(between(goodMs));
        if (isOver) return;
        if (left.length === 0) left = [...TURNED_AWAY];
        const [answer] = left.splice(Math.floor(random() * left.length), 1);
        const stop = gateway.misbehave({ kind: 'status', when: 'before', ...answer });
        await sleep(between(BAD_MS));
        stop();
        counts.periods += 1;
      }
    },
    end() {
      isOver = true;
    },
  };
}
