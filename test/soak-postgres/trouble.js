// The faults of the server, the network and the gateways while the workers are killed.
import { createPhases } from '../soak/phases.js';
import { sleep } from '../soak/random.js';

const LOOK_MS = 50;
const DOWN_MS = [200, 1_500];
const START_TRIES = 5;

/**
 * @param {object} options
 * @param {import('../support/postgres-server.js').PostgresServer} options.server
 * @param {Awaited<ReturnType<typeof import('./proxy.js').startProxy>>} options.proxy
 * @param {Awaited<ReturnType<typeof import('../soak/licences.js').startGateways>>} options.gateways
 * @param {ReturnType<typeof import('../soak/random.js').createRandom>} options.chance
 * @param {() => number} options.progress From 0 to 1.
 * @param {number} options.restarts
 * @param {number} options.cutMs The duration of the one network cut.
 */
export function createTrouble({ server, proxy, gateways, chance, progress, restarts, cutMs }) {
  const { between } = chance;
  const phases = createPhases({ gateways, chance });
  const counts = {
    restarts: 0,
    cuts: 0,
    get periods() {
      return phases.counts.periods;
    },
  };
  let isOver = false;
  const until = async (/** @type {number} */ part) => {
    while (progress() < part && !isOver) await sleep(LOOK_MS);
  };

  async function start() {
    for (let tries = 1; ; tries += 1) {
      try {
        return await server.start();
      } catch (error) {
        // A process of the earlier server may still be running.
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

  return {
    counts,
    isEnough: phases.isEnough,
    /** Resolves once all faults have happened, and rejects if the server cannot be started again. */
    run: () => Promise.all([restartServer(), cutNetwork(), phases.run()]),
    /** No further fault is started by progress; due faults happen at once. */
    end: () => {
      isOver = true;
      phases.end();
    },
  };
}
