import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { claim, newRow, QUARANTINED, write } from '../../outbox/contract/harness.js';
import { newFile, openStore } from '../../outbox/stores/sqlite/files.js';
import { runCli } from '../../support/cli-in-process.js';

/** The words of a command as a shell passes them on. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `set -- ${command}; printf '%s\\0' "$@"`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

it.each(["B'1", 'B"1', 'B 1', '--json', 'B$HOME `id`', 'B\\1', 'B\\u0041', 'B\u202e1', 'B\u00ad1', 'né', '*', 'a:b'])(
  'the commands that show prints name the report, any its reference: %j',
  async (reference) => {
    const file = newFile();
    const store = await openStore(file);
    await store.enqueue([newRow(reference), newRow('B-other')]);
    for (const row of await claim(store)) await write(store, row, { ...QUARANTINED, inDoubt: false });
    await store.close?.();
    const { out } = await runCli(['outbox', file, 'show', newRow(reference).id]);
    const command = /location-sdk (outbox .* retry .*)/.exec(out)?.[1] ?? '';
    expect(await runCli(wordsOf(command))).toMatchObject({ code: 0, out: expect.stringContaining('waits to be sent') });
    const after = await openStore(file);
    expect((await after.get([newRow(reference).id]))[0]).toMatchObject({ state: 'waiting' });
    await after.close?.();
  },
);
