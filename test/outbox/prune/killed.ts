import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Prunes in a separate process, which is killed after its first commit. Returns the signal that ended it. */
export async function pruneAndDie(...words: string[]): Promise<string | null> {
  const [, signal] = (await once(fork(fileURLToPath(new URL('prune-and-die.js', import.meta.url)), words), 'exit')) as [
    number | null,
    string | null,
  ];
  return signal;
}
