import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { startNode } from './run.js';

/** The site of examples/web in one process, which starts it anew as often as a file's tests need it. */
export function hostExampleSite() {
  const child = startNode(['test/support/example-site-host.js']);
  child.stderr?.resume();
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  let isFirst = true;
  return {
    /** Starts the site, with no data of the one before, and returns its addresses. */
    async start(): Promise<{ site: string; gateway: string }> {
      if (!isFirst) child.kill('SIGHUP');
      isFirst = false;
      const said: string[] = [];
      while (!said.at(-1)?.includes('Ctrl+C')) said.push((await lines.next()).value ?? 'Ctrl+C');
      const [site = '', gateway = ''] = said.flatMap((line) => /http:\S+(?=\/ )/.exec(line) ?? []);
      return { site, gateway };
    },
    async end(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
