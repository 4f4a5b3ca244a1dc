// @module-tag slow: starts processes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newFile, openStore } from './files.js';

const CHILD = fileURLToPath(new URL('two-processes.js', import.meta.url));
const ROWS = 200;

/** Runs a process to its end. Returns the ids that it has claimed. */
async function run(file: string, name: string): Promise<string[]> {
  const child = fork(CHILD, [file, name, String(ROWS)]);
  const ended = once(child, 'exit');
  const message = once(child, 'message').then(([taken]) => taken as string[]);
  message.catch(() => {});
  const [code] = await ended;
  expect(code).toBe(0);
  return message;
}

it('processes that make a file at the same time, add rows and claim them, never claim the same row, and none is refused', {
  timeout: 60_000,
}, async () => {
  const file = newFile();
  const taken = (await Promise.all(['a', 'b', 'c'].map((name) => run(file, name)))).flat();
  expect(new Set(taken).size).toBe(taken.length);
  const store = await openStore(file);
  expect((await store.counts()).states).toMatchObject({ waiting: 0, 'in-flight': 0, recorded: 3 * ROWS });
  expect(taken.length).toBe(3 * ROWS);
  await store.close?.();
});
