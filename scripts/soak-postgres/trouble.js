// What happens to the server, the network and the gateway while the workers are killed.
import { sleep } from '../soak/random.js';

const LOOK_MS = 50;
const DOWN_MS = [200, 1_500];
const START_TRIES = 5;
/** The gateway turns everything away for a while, then works for a while. */
const BAD_MS = [500, 2_000];
const GOOD_MS = [4_000, 12_000];
const TURNED_AWAY = [{ status: 429, retryAfter: 1 }, { status: 503 }, { status: 500 }, { status: 502 }];

/**
 * @param {object} options
 * @param {import('../../test/support/postgres-server.js').PostgresServer} options.server
 * @param {Awaited<ReturnType<typeof import('./proxy.js').startProxy>>} options.proxy
 * @param {Awaited<ReturnType<typeof import('../soak/gateway.js').startGateway>>} options.gateway
 * @param {ReturnType<typeof import('../soak/random.js').createRandom>} options.chance
 * @param {() => number} options.progress From 0 to 1.
 * @param {number} options.restarts
 * @param {number} options.cutMs For how long the network is cut, once.
 */
export function createTrouble({ server, proxy, gateway, chance: { between, random }, progress, restarts, cutMs }) {
  const counts = { restarts: 0, cuts: 0, periods: 0 };
  let isOver = false;
  const until = async (/** @type {number} */ part) => {
    while (progress() < part && !isOver) await sleep(LOOK_MS);
  };

  async function start() {
    for (let tries = 1; ; tries += 1) {
      try {
        return await server.start();
      } catch (error) {
        // Of the server before, a process may not have ended yet.
        if (tries >= START_TRIES) throw error;
        await sleep(500);
      }
    }
  }

  async function restartServer() {
    for (let index = 0; index < restarts; index += 1) {
      await until((index + 0.5) / (restarts + 0.5));
      await server.halt('SIGQUIT');
      await sleep(between(DOWN_MS));
      await start();
      counts.restarts += 1;
    }
  }

  async function cutNetwork() {
    await until(0.55);
    const mend = proxy.cut();
    await sleep(cutMs);
    mend();
    counts.cuts += 1;
  }

  async function turnAway() {
    while (!isOver) {
      await sleep(between(GOOD_MS));
      if (isOver) return;
      const answer = TURNED_AWAY[Math.floor(random() * TURNED_AWAY.length)];
      const stop = gateway.misbehave({ kind: 'status', when: 'before', ...answer });
      await sleep(between(BAD_MS));
      stop();
      counts.periods += 1;
    }
  }

  return {
    counts,
    /** Resolves once all of it has happened, and rejects where the server cannot be started again. */
    run: () => Promise.all([restartServer(), cutNetwork(), turnAway()]),
    /** Nothing more happens for a reason of progress; what is due happens at once. */
    end: () => {
      isOver = true;
    },
  };
}
