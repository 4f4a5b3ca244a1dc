// Processes that open and close the file of the soak all the time, while its workers have it open.
import { fork } from 'node:child_process';
import { once } from 'node:events';

const MODULES = ['foreign-closer.js', 'status.js'];

/** Starts them; `stop` gives how often each opened the file, and in words whatever must not have happened. @param {string} file */
export function startBystanders(file) {
  const children = MODULES.map((name) => ({ name, child: fork(new URL(name, import.meta.url), [file]) }));
  process.on('exit', () => children.forEach(({ child }) => void child.kill('SIGKILL')));
  return {
    async stop() {
      /** @type {string[]} */
      const problems = [];
      const opened = [];
      for (const { name, child } of children) {
        if (child.exitCode !== null) {
          problems.push(`${name} ended by itself, with ${child.exitCode}`);
          continue;
        }
        const told = once(child, 'message');
        child.send('stop');
        const [{ times, errors }] = /** @type {[{ times: number, errors: string[] }]} */ (await told);
        opened.push(`${name} ${times}`);
        if (times === 0) problems.push(`${name} never opened the file: nothing was put to the test`);
        problems.push(...errors.map((error) => `${name}: ${error}`));
      }
      return { opened: opened.join(', '), problems };
    },
  };
}
