// Processes that read the outbox of the soak all the time, while its workers send from it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';

/**
 * Starts them. `stop` returns how often each one read, and the problems, in words.
 * @param {readonly URL[]} modules
 * @param {string} outbox The file or the address.
 */
export function startBystanders(modules, outbox) {
  const children = modules.map((module) => ({ name: basename(module.pathname), child: fork(module, [outbox]) }));
  process.on('exit', () => children.forEach(({ child }) => void child.kill('SIGKILL')));
  return {
    async stop() {
      /** @type {string[]} */
      const problems = [];
      const looked = [];
      for (const { name, child } of children) {
        if (child.exitCode !== null) {
          problems.push(`${name} ended by itself, with ${child.exitCode}`);
          continue;
        }
        const told = once(child, 'message');
        child.send('stop');
        const [{ times, errors }] = /** @type {[{ times: number, errors: string[] }]} */ (await told);
        looked.push(`${name} ${times}`);
        if (times === 0) problems.push(`${name} never read the outbox: nothing was tested`);
        problems.push(...errors.map((error) => `${name}: ${error}`));
      }
      return { looked: looked.join(', '), problems };
    },
  };
}
