import { appendFileSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import Papa from 'papaparse';
import { describe, expect, it, vi } from 'vitest';
import { main } from '../../../src/cli/main.js';
import { createRejected } from '../../../src/cli/outbox/import/rejected.js';
import { betEvent, betUser, settledBet } from '../../support/factories.js';
import { csvOf, importFolder } from './import-files.js';

vi.setConfig({ testTimeout: 60_000 });

const settlements = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => settledBet({ bet_id: `B-${from + index}` }));
const wrong = settledBet({ bet_id: 'B-9', user: betUser({ nin: '1' }) });

describe('a file from an attacker', () => {
  const quote = `${csvOf(settlements(1))}B-2,"${'x'.repeat(3_000_000)}`;
  it.each([
    [
      'a line of 3 MB',
      'bets.csv',
      csvOf(settlements(1)) + 'x'.repeat(3_000_000),
      /bets\.csv, line 3: this record is longer than 1 MB/,
    ],
    [
      'a quote that never ends',
      'bets.csv',
      quote,
      /bets\.csv, line 3: this record is longer than 1 MB \(in CSV: is a quote not closed\?\)/,
    ],
    ['a first line of 3 MB', 'bets.csv', 'x'.repeat(3_000_000), /the first line does not end within 64 kB/],
    [
      'NUL in the middle',
      'bets.csv',
      `${csvOf(settlements(3))}B-4\0,1\n`,
      /bets\.csv, line 1 or later: this is not UTF-8 text/,
    ],
    [
      'a line of JSON of 3 MB',
      'bets.ndjson',
      `{"bet_id":"B-1"}\n{"a":"${'x'.repeat(3_000_000)}`,
      /bets\.ndjson, line 2: this record is longer than 1 MB/,
    ],
    ...[
      '__proto__',
      '__proto__.polluted',
      'user.__proto__.polluted',
      'constructor.prototype.polluted',
      'user.constructor',
    ].map(
      (name) =>
        [
          `a column ${name}`,
          'bets.csv',
          csvOf(settlements(1)).replace('ggr', name),
          /is not a field of reportSettledBet/,
        ] as const,
    ),
  ] as const)('with %s is refused, and no line is enqueued', async (_, name, content, problem) => {
    const { write, run, outbox } = importFolder();
    const { code, err } = await run(write(name, content), 'reportSettledBet');
    expect([code, err.slice(0, 2_000)]).toEqual([2, expect.stringMatching(problem)]);
    expect(existsSync(outbox)).toBe(false);
    expect('polluted' in {}).toBe(false);
  });

  it.each([
    [
      'more nesting than the call stack allows',
      `{"bet_id":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      'is nested deeper than any report',
    ],
    [
      'a member __proto__',
      JSON.stringify(settledBet()).replace('"ggr"', '"__proto__":{"polluted":1},"ggr"'),
      'this name is never accepted',
    ],
    [
      'a nested member __proto__',
      JSON.stringify(settledBet()).replace('"nin"', '"__proto__":{"polluted":1},"nin"'),
      'this name is never accepted',
    ],
  ])('of JSON with %s has its line refused', async (_, text, problem) => {
    const { write, run, at } = importFolder();
    expect(await run(write('bets.ndjson', `${text}\n`), 'reportSettledBet')).toMatchObject({
      code: 1,
      out: expect.stringContaining('1 rejected'),
    });
    expect(readFileSync(at('bets.ndjson.rejected.csv'), 'utf8')).toContain(problem);
    expect('polluted' in {}).toBe(false);
  });

  it.each(['production', 'prod', 'staging', 7, null, {}])(
    'with the environment %j in a line of JSON, whose gateway has no address, has that line refused',
    async (environment) => {
      const { write, run, at } = importFolder();
      const options = write(
        'one-gateway.mjs',
        "export default { gateways: { staging: { baseUrl: 'https://gateway.example.com' } } };",
      );
      const lines = [
        settledBet({ bet_id: 'B-1' }),
        { ...settledBet({ bet_id: 'B-2' }), environment },
        settledBet({ bet_id: 'B-3' }),
      ];
      const file = write('bets.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const { code, out, err } = await run(file, 'reportSettledBet', '--options', options, '--skip-rejected');
      expect([code, out.trim()]).toEqual([1, `${file}: 2 reports enqueued, 1 lines rejected.`]);
      expect(err).not.toMatch(/\bat .*:\d+/);
      expect(readFileSync(at('bets.ndjson.rejected.csv'), 'utf8').trim().split('\n')).toEqual([
        'line,field,reason,reference',
        '2,environment,is not a field of reportSettledBet in an import; remove it,B-2',
      ]);
    },
  );
});

describe('the list of refused lines', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    ' =1+1',
    'B;=1+1',
    'B,=1+1',
    'B;"=1+1',
    'B| @x',
    '"=1+1',
    '\t=1+1',
    'B\r=1+1',
    '＝1+1',
  ])('contains no formula, for any way in which a spreadsheet splits its cells: %j', (reference) => {
    const { at } = importFolder();
    const rejected = createRejected(at('list.csv'));
    rejected.add({ line: 2, operation: 'reportBetEvent', payload: { bet_id: reference } }, [
      { field: reference, reason: 'is wrong' },
    ]);
    rejected.write();
    const text = readFileSync(at('list.rejected.csv'), 'utf8');
    const cells = [',', ';', '\t', '|'].flatMap((delimiter) => [
      ...Papa.parse<string[]>(text, { delimiter }).data.flat(),
      // A spreadsheet ignores quotes in the middle of a cell.
      ...text.split(new RegExp(`[\\n${delimiter}]`)).map((cell) => cell.replaceAll('"', '')),
    ]);
    expect(cells.filter((cell) => /^[\s"]*[=+\-@＝]/.test(cell))).toEqual([]);
  });

  it.runIf(process.platform !== 'win32')('follows no link, and only one user can read it', async () => {
    const { write, run, at } = importFolder();
    const file = write('bets.csv', csvOf([wrong]));
    const victim = write('victim', 'line,field,reason,reference\nmine\n');
    symlinkSync(victim, at('bets.rejected.csv'));
    expect(await run(file, 'reportSettledBet')).toMatchObject({ code: 1 });
    expect(readFileSync(victim, 'utf8')).toContain('mine');
    expect(lstatSync(at('bets.rejected.csv')).isFile()).toBe(true);

    const other = write('other.csv', csvOf([wrong]));
    const list = write('other.rejected.csv', 'line,field,reason,reference\n');
    expect(statSync(list).mode & 0o077).not.toBe(0);
    expect(await run(other, 'reportSettledBet')).toMatchObject({ code: 1 });
    expect([readFileSync(list, 'utf8'), statSync(list).mode & 0o777]).toEqual([expect.stringContaining('B-9'), 0o600]);
  });
});

/** How many reports the outbox holds; none while its tables are being made. */
function countOf({ rows }: ReturnType<typeof importFolder>): number {
  try {
    return rows().length;
  } catch {
    return 0;
  }
}

it('a file that is cut off while it is imported is not taken for one that is whole', { tags: 'slow' }, async () => {
  const folder = importFolder();
  // Each read of the file ends where a line does, so that no half of a line is left to give the cut away.
  const [head = '', ...lines] = csvOf(settlements(20_000)).trimEnd().split('\n');
  const address = betUser().resident_address;
  const long = (line: string, length: number) =>
    line.replace(address, address.padEnd(address.length + length - line.length - 1, 'x'));
  const file = folder.write(
    'bets.csv',
    `${[head, ...lines.map((line, index) => long(line, index === 0 ? 2_048 - head.length - 1 : 1_024))].join('\n')}\n`,
  );
  const terminal = { stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() };
  const code = main(folder.wordsOf(file, 'reportSettledBet', []), terminal);
  await vi.waitUntil(() => existsSync(folder.outbox) && countOf(folder) > 0, { timeout: 30_000, interval: 5 });
  truncateSync(file, 256 * 1024);
  expect([await code, String(terminal.stderr.read())]).toEqual([
    1,
    expect.stringContaining('bets.csv was changed while it was read'),
  ]);
  expect(folder.rows().length).toBeLessThan(20_000);
});

it('a file that another program still writes is not imported beyond the change', { tags: 'slow' }, async () => {
  const folder = importFolder();
  const file = folder.write('bets.csv', csvOf(settlements(20_000)));
  const terminal = { stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() };
  const code = main(folder.wordsOf(file, 'reportSettledBet', []), terminal);
  await vi.waitUntil(() => existsSync(folder.outbox) && countOf(folder) > 0, { timeout: 30_000, interval: 5 });
  appendFileSync(file, csvOf(settlements(1, 9_000)).split('\n').slice(1).join('\n'));
  expect([await code, String(terminal.stderr.read())]).toEqual([
    1,
    expect.stringContaining('bets.csv was changed while it was read'),
  ]);
  expect(folder.rows().some(({ reference }) => reference === 'B-9000')).toBe(false);
});

it.each([
  'NULL',
  String.raw`\N`,
  '#REF!',
  '#N/A',
  '#NAME?',
  '#DIV/0!',
  '########',
  '="007"',
  '1.79516E+09',
  '1,8E+11',
  '2E+10',
])('a CSV cell that holds %s in place of a text is refused', async (cell) => {
  const { write, run, at } = importFolder();
  const csv = csvOf([settledBet({ bet_id: 'B-1', outcome: cell }), settledBet({ bet_id: cell })]);
  expect(await run(write('bets.csv', csv), 'reportSettledBet')).toMatchObject({ code: 1 });
  const list = readFileSync(at('bets.rejected.csv'), 'utf8');
  expect(list).toMatch(/^2,outcome,"?is what a program writes/m);
  expect(list).toMatch(/^3,bet_id,"?is what a program writes/m);
});

it.each(['45981', '20261120', '0', '1970-01-01T00:00:00Z', '1899-12-30 00:00:00Z', '0001-01-01T00:00:00Z'])(
  'the time %j, of a spreadsheet or a null, is refused',
  async (timestamp) => {
    const { write, run, at } = importFolder();
    const bet = { ...betEvent({ bet_id: 'B-1', timestamp }), location: { latitude: 6, longitude: 7, source: 'gps' } };
    for (const file of [write('bets.csv', csvOf([bet])), write('bets.ndjson', `${JSON.stringify(bet)}\n`)]) {
      expect(await run(file, 'reportBetEvent')).toMatchObject({ code: 1 });
      expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toMatch(/^\d,timestamp,"?is before September 2001/m);
    }
  },
);

it.each(['B-1 ', ' B-1', 'B-1\u00a0', '\u200bB-1', 'B-1\ufeff'])(
  'the padded reference %j is refused: its settlement would find no bet',
  async (bet_id) => {
    const { write, run } = importFolder();
    const bet = settledBet({ bet_id });
    for (const file of [
      write('bets.csv', csvOf([bet], { quoteAll: true })),
      write('bets.ndjson', `${JSON.stringify(bet)}\n`),
    ])
      expect(await run(file, 'reportSettledBet')).toMatchObject({
        code: 1,
        err: expect.stringContaining('bet_id: expected a text without spaces at its ends'),
      });
  },
);
