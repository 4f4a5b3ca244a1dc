// @module-tag slow: starts processes.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newFile, openStore } from './files.js';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Runs a process that opens its file in a second way, between two that close it properly, and kills it. Returns its
 * accepted reports, and those in the file.
 */
async function live(way: string): Promise<{ accepted: string[]; refused: string[]; held: Set<string> }> {
  const file = newFile();
  const told: string[] = [];
  const child = fork(pathOf('second-open.js'), [file, way]);
  const heard = (word: string) =>
    new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the process ended by itself, with ${code}`)));
      child.on('message', (message) => message === word && resolve());
    });
  child.on('message', (message) => told.push(String(message)));
  await heard('opened twice');
  execFileSync(process.execPath, [pathOf('foreign-closer.js'), file]);
  const all = heard('tried all');
  child.send('go on');
  await all;
  execFileSync(process.execPath, [pathOf('foreign-closer.js'), file]);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;

  const store = await openStore(file);
  const held = new Set((await store.list({ limit: 1_000 })).map(({ id }) => id));
  await store.close?.();
  return {
    accepted: told.filter((word) => word.startsWith('default:')),
    refused: told.filter((word) => word.startsWith('refused')),
    held,
  };
}

it.each([
  'a store that stays open',
  'a store that is closed',
  'a store of the CommonJS module',
  'a store of a module that was loaded again',
  'a store in a worker thread',
  // SQLite loses its locks, and notices it.
  'a reader of its bytes',
])(
  'a process that opens its file twice loses nothing when another one closes it, and it is then killed: %s',
  { timeout: 60_000 },
  async (way) => {
    const { accepted, refused, held } = await live(way);
    expect([accepted.length, refused]).toEqual([50, []]);
    expect(accepted.filter((id) => !held.has(id))).toEqual([]);
  },
);
