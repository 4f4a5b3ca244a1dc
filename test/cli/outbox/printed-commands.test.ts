import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { OutboxStore } from '../../../src/entries/outbox.js';
import { consoleOver } from '../../../src/http/console/console.js';
import { readConsoleSettings } from '../../../src/http/console/console-options.js';
import { createOperator } from '../../../src/operator/operator.js';
import type { SearchPage } from '../../../src/operator/search.js';
import { callAt, requestOf } from '../../http/console/world.js';
import { claim, newRow, QUARANTINED, write } from '../../outbox/contract/harness.js';
import { newFile, openStore } from '../../outbox/stores/sqlite/files.js';
import { runCli } from '../../support/cli-in-process.js';

/** The words of a command as a shell passes them on. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `set -- ${command}; printf '%s\\0' "$@"`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

const REFERENCES = [
  ...["B'1", 'B"1', 'B 1', '--json', 'B$HOME `id`', 'né', '*', 'a:b', ' B', 'B ', 'B  1', 'B\u00a01'],
  ...['B\u202e1', 'B\\u202e1', 'B\\\\u202e1', 'B\u200b', 'B\\u200b', 'B\u034f', 'B\u3164', 'B\u2800', 'B\ufeff'],
  ...['B\\1', 'B\\\\1', 'B\\u0041', 'BA', 'B\\', 'B\u00ad1', 'B\\u00ad1', 'B\u{e0001}', 'B\\udb40\\udc01'],
];

const ADA = { name: 'ada', mayAct: true };

async function quarantined(): Promise<string> {
  const file = newFile();
  const store = await openStore(file);
  await store.enqueue(REFERENCES.map((reference) => newRow(reference)));
  for (const row of await claim(store, 100)) await write(store, row, { ...QUARANTINED, inDoubt: false });
  await store.close?.();
  return file;
}

const within = async <T>(file: string, look: (store: OutboxStore) => Promise<T>): Promise<T> => {
  const store = await openStore(file);
  return look(store).finally(() => store.close?.());
};

it('no two reports are listed alike, and what is printed of each names it alone', async () => {
  const file = await quarantined();
  const { out } = await runCli(['outbox', file, 'list']);
  const ids = out.split('\n').flatMap((line) => /(default:.*)$/.exec(line)?.[1] ?? []);
  expect(new Set(ids).size).toBe(REFERENCES.length);
  for (const [index, id] of ids.entries()) {
    const typed = id.slice(newRow('').id.length);
    const shown = await runCli(['outbox', file, 'show', typed.startsWith('-') ? id : typed]);
    expect(shown.out.split('\n')[0]).toBe(id);
    const command = /location-sdk (outbox .* retry .*)/.exec(shown.out)?.[1] ?? '';
    expect(await runCli(wordsOf(command))).toMatchObject({ code: 0, out: `${id} waits to be sent again\n` });
    const waiting = await within(file, (store) => store.list({ state: 'waiting', limit: 100 }));
    expect(waiting.map((row) => row.reference)).toEqual(REFERENCES.slice(0, index + 1));
  }
}, 60_000);

it('the console acts on the report that it shows', async () => {
  const file = await quarantined();
  await within(file, async (store) => {
    const handler = consoleOver(
      createOperator({ over: store }),
      readConsoleSettings({ outbox: {}, authorize: () => ADA }),
    );
    const post = async (call: string, body: object, token = '') => {
      const request = requestOf({ url: callAt(call), headers: { 'x-console-token': token }, body });
      return JSON.parse(await ((await handler(request)) as Response).text());
    };
    const { token } = await post('session', {});
    const { reports } = (await post('search', {}, token)) as SearchPage;
    expect(new Set(reports.map(({ reference }) => reference)).size).toBe(REFERENCES.length);
    for (const [index, { id, reference }] of [...reports].reverse().entries()) {
      expect(await post('report', { id }, token)).toMatchObject({ id, reference });
      expect(await post('search', { text: ` ${reference} ` }, token)).toMatchObject({ reports: [{ id }] });
      const why = { decision: crypto.randomUUID(), reason: 'mended' };
      await post('decide', { ...why, action: 'retry', selection: { ids: [id] } }, token);
      const waiting = await store.list({ state: 'waiting', limit: 100 });
      expect(waiting.map((row) => row.reference)).toEqual(REFERENCES.slice(0, index + 1));
    }
  });
}, 60_000);
