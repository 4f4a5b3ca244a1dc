import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { readArgs, readWords } from '../../src/cli/args.js';
import { OUTBOX_COMMANDS } from '../../src/cli/outbox/command.js';
import { OUTBOX_OPTIONS } from '../../src/cli/outbox/options.js';
import { createOutbox } from '../../src/entries/outbox.js';
import { DEFAULTS } from '../../src/outbox/settings.js';
import { collect } from '../outbox/collect.js';
import { outboxWorld } from '../outbox/world.js';
import { codeBlocks, commandsOf } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { betEvent } from '../support/factories.js';
import { newFolder } from '../support/new-folder.js';
import { root } from '../support/run.js';

const guide = readGuides('reference/options', 'how-to/on-call', 'how-to/records', 'how-to/encryption');
const blocks = codeBlocks(guide);

describe('the commands of the guide', () => {
  it.each(blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf))('%s', (command) => {
    const [, rest = ''] = /^npx location-sdk outbox (.*?)(?: > \S+)?$/.exec(command) ?? [];
    const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const { given } = readWords(OUTBOX_OPTIONS, words, 9);
    expect(OUTBOX_COMMANDS).toHaveProperty(given[1] ?? 'stats');
  });

  it('would be refused with an unknown option', () => {
    expect(() => readArgs(OUTBOX_OPTIONS, ['--none'])).toThrow('unknown option --none');
  });
});

describe('the tables of the guide', () => {
  const rows = [...guide.matchAll(/^\| (`[^|]*) \|([^|]*)\| /gm)].map(
    ([, name = '', value = '']) => `${name}: ${value.trim()}`,
  );

  it('have the defaults of the code', () => {
    const grouped = (value: number) => value.toLocaleString('en');
    const { concurrency, baseMs, capMs, pollMs, stopTimeoutMs, marginMs } = DEFAULTS;
    expect(rows).toEqual(
      expect.arrayContaining([
        `\`concurrency\`: ${concurrency}`,
        `\`retry.baseMs\`: ${grouped(baseMs)}`,
        `\`retry.capMs\`: ${grouped(capMs)}`,
        `\`leaseMs\`: \`attemptTimeoutMs\` + ${grouped(marginMs)}`,
        `\`pollMs\`: ${grouped(pollMs)}`,
        `\`stopTimeoutMs\`: ${grouped(stopTimeoutMs)}`,
      ]),
    );
  });

  it('name the existing options', () => {
    const [known = ''] = /known are .*/.exec(String(problemOf())) ?? [];
    const named = rows.flatMap((row) => [...row.replace(/:.*/, '').matchAll(/`(\w+)[\w.]*`/g)].map(([, name]) => name));
    for (const name of known
      .replace(/^known are /, '')
      .split(/[,;.] ?/)
      .filter(Boolean)
      .slice(0, 10))
      expect(named).toContain(name);
  });
});

function problemOf(): unknown {
  try {
    return createOutbox({ none: 1 } as never);
  } catch (error) {
    return error;
  }
}

test('the check without this package accepts a log, and finds a change in it', async () => {
  const { outbox, run } = outboxWorld();
  for (const bet_id of ['B-1', 'B-2', 'B-3']) await outbox.reportBetEvent(betEvent({ bet_id }));
  await run(outbox.drain());
  const text = (await collect(outbox.exportReceipts())).join('');
  const script = readFileSync(join(root, 'examples/check-receipts.mjs'), 'utf8');
  const folder = newFolder('guide');
  writeFileSync(join(folder, 'check.mjs'), script);
  const check = (log: string) => {
    writeFileSync(join(folder, 'receipts.jsonl'), log);
    return spawnSync(process.execPath, ['check.mjs'], { cwd: folder, encoding: 'utf8' });
  };
  expect(check(text)).toMatchObject({ status: 0, stderr: '' });
  expect(check(text.replace('"B-2"', '"B-9"')).stderr).toContain('broken at 1');
  expect(check(text.replace(/.*\n/, '')).stderr).toContain('broken at 1');
});
