import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** This Node.js and this machine, in words. */
export const MACHINE = `Node.js ${process.versions.node}, ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores`;

/**
 * A file as a separate process, if sharing one would falsify the results. It reports that it is ready, and may answer a
 * message with one.
 *
 * @param {URL} file
 * @param {{ words?: readonly string[], flags?: readonly string[] }} [how]
 */
export async function startProcess(file, { words = [], flags = [] } = {}) {
  const child = fork(fileURLToPath(file), words, { execArgv: [...flags] });
  const failed = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`${fileURLToPath(file)} ${words.join(' ')} ended with ${code}`)),
  );
  failed.catch(() => {});
  const next = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  const first = await next();
  const send = (/** @type {import('node:child_process').Serializable} */ message) => void child.send(message);
  return {
    /** @type {unknown} its first message */
    first,
    send,
    /** @param {import('node:child_process').Serializable} message @returns {Promise<any>} */
    ask(message) {
      send(message);
      return next();
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** The output of a file, as JSON. @param {URL} file @param {{ words: readonly string[] }} how */
export async function runProcess(file, { words }) {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(file), ...words]);
  return JSON.parse(stdout);
}
