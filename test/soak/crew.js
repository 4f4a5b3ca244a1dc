// The workers of a soak, as processes that are killed and stopped at random, and their messages.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { sleep } from './random.js';

const ALIVE_MS = [20, 400];
const STOP_CHANCE = 0.12;
/** The least number of decisions of persons. */
const ENOUGH_DECIDED = 5;

/**
 * @typedef {object} CrewOptions
 * @property {URL} worker The module that a worker runs.
 * @property {(name: string, isLast: boolean) => object} taskOf The task of a worker.
 * @property {number} kills
 * @property {number} workers
 * @property {ReturnType<typeof import('./random.js').createRandom>} chance
 * @property {readonly number[]} stoppedMs How long a worker is stopped: beyond its lease, so that another one has taken
 * its reports.
 * @property {() => void} progress Called after each kill.
 * @property {() => boolean} isEnough Whether all faults have occurred; until then more workers are killed than
 * requested.
 * @property {() => Promise<void>} [worked] Resolves when enough is done for the next kill.
 */

/** @param {CrewOptions} options */
export function createCrew({
  worker,
  taskOf,
  kills,
  workers,
  chance: { random, between },
  stoppedMs,
  progress,
  isEnough,
  worked,
}) {
  /** @type {Set<string>} */
  const accepted = new Set();
  /** The number of the workers' messages, by kind. @type {Record<string, number>} */
  const told = { recorded: 0, quarantined: 0, late: 0, error: 0, decided: 0 };
  /** The errors, with their numbers. @type {Map<string, number>} */
  const errors = new Map();
  const counts = { killed: 0, stopped: 0 };
  /** Workers that ended by themselves. @type {string[]} */
  const problems = [];
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const alive = new Set();
  // No process remains, however the soak ends.
  process.on('exit', end);

  function end() {
    for (const child of alive) child.kill('SIGKILL');
  }

  /** @param {string} name */
  function start(name, isLast = false) {
    const child = fork(worker, [JSON.stringify(taskOf(name, isLast))], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    alive.add(child);
    child.once('exit', () => alive.delete(child));
    const ready = new Promise((resolve) =>
      child.once('exit', resolve).on('message', (/** @type {{ type: string, event: string }} */ { type, event }) => {
        if (type === 'ready') resolve(undefined);
        else if (type === 'accepted') accepted.add(event);
        else told[type] = (told[type] ?? 0) + 1;
        if (type === 'error') errors.set(event, (errors.get(event) ?? 0) + 1);
      }),
    );
    return { child, ready };
  }

  /** Starts a worker, lets it run for a while, and kills it, until enough are killed. @param {number} lane */
  async function killAgainAndAgain(lane) {
    for (let life = 0; counts.killed < kills || !isEnough() || (told.decided ?? 0) < ENOUGH_DECIDED; life += 1) {
      const { child, ready } = start(`S${lane}-${life}`);
      await ready;
      await worked?.();
      await sleep(between(ALIVE_MS));
      if (child.exitCode !== null) {
        problems.push(`the worker S${lane}-${life} ended by itself, with ${child.exitCode}`);
        counts.killed += 1;
        continue;
      }
      if (random() < STOP_CHANCE) {
        child.kill('SIGSTOP');
        counts.stopped += 1;
        await sleep(between(stoppedMs));
        child.kill('SIGCONT');
        // It continues late, and may do its next step.
        await sleep(between(ALIVE_MS));
      }
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      counts.killed += 1;
      progress();
    }
  }

  return {
    accepted,
    told,
    errors,
    counts,
    problems,
    /** Kills the running workers. */
    end,
    /** Resolves once enough are killed. */
    killAll: () => Promise.all(Array.from({ length: workers }, (_, lane) => killAgainAndAgain(lane))),
    /**
     * Lets workers send the remaining reports without faults. Returns whether all of them could.
     * @param {number} count
     */
    finish: async (count) => {
      const ends = await Promise.all(
        Array.from({ length: count }, (_, lane) => once(start(`last-${lane}`, true).child, 'exit')),
      );
      return ends.every(([code]) => code === 0);
    },
  };
}
