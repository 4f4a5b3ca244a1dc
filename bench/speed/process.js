import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** @typedef {{ name: string, execPath: string }} Runtime a Node.js that is measured */

const pathOf = (/** @type {string} */ file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * A file of this folder as a process of its own, which says that it is ready and answers one message with one.
 * @param {Runtime} runtime @param {string} file @param {readonly string[]} [words] @param {readonly string[]} [flags]
 */
export async function startProcess({ execPath }, file, words = [], flags = []) {
  const child = fork(pathOf(file), words, { execPath, execArgv: [...flags] });
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ${words.join(' ')} ended with ${code}`)));
  failed.catch(() => {});
  const next = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  const first = await next();
  return {
    /** @type {unknown} what it said first */
    first,
    /** @param {import('node:child_process').Serializable} message @returns {Promise<any>} */
    ask(message) {
      child.send(message);
      return next();
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** What a file of this folder prints, as JSON. @param {Runtime} runtime @param {string} file @param {readonly string[]} [words] */
export async function runProcess({ execPath }, file, words = []) {
  const { stdout } = await promisify(execFile)(execPath, [pathOf(file), ...words]);
  return JSON.parse(stdout);
}

/** @param {readonly number[]} figures */
export const median = (figures) => quantile(figures, 0.5);

/** @param {readonly number[]} figures @param {number} share */
export const quantile = (figures, share) => [...figures].sort((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))] ?? Number.NaN;
