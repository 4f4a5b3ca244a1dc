import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts a file of this folder as a process of its own, where sharing one would falsify the figures, and waits for its first
 * message: `process.send(…)` says that it is ready.
 *
 * @param {string} file
 * @param {readonly string[]} [words]
 */
export async function startChild(file, words = []) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), words);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code} before it was ready`);
  });
  failed.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), failed]);
  return {
    /** @type {unknown} what it said first */
    message,
    /** @param {import('node:child_process').Serializable} words */
    send: (words) => void child.send(words),
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
