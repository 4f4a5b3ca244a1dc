// @module-tag slow: kills processes.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltCli, buildCli } from '../../support/built-cli.js';
import { settledBet } from '../../support/factories.js';
import { csvOf, importFolder } from './import-files.js';

let cli: BuiltCli;
beforeAll(async () => {
  cli = await buildCli();
}, 60_000);
afterAll(() => cli.remove());

it('an import that is killed several times stores each line once', { timeout: 120_000 }, async () => {
  const folder = importFolder();
  const file = folder.write(
    'bets.csv',
    csvOf(Array.from({ length: 30_000 }, (_, index) => settledBet({ bet_id: `B-${index}` }))),
  );
  const words = folder.wordsOf(file, 'reportSettledBet', []);
  const count = () => {
    try {
      return existsSync(folder.outbox) ? folder.count() : 0;
    } catch {
      // The tables do not exist yet.
      return 0;
    }
  };
  let before = 0;
  for (let kills = 0; kills < 3; kills += 1) {
    const child = cli.start(...words);
    const ended = once(child, 'exit');
    while (child.exitCode === null && count() <= before) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    before = count();
    expect(before).toBeLessThan(30_000);
  }
  const last = await cli.run(...words);
  expect([last.code, last.out]).toEqual([0, expect.stringContaining('were already in the outbox')]);
  expect(new Set(folder.rows().map(({ reference }) => reference)).size).toBe(30_000);
  expect(folder.rows()).toHaveLength(30_000);
});
