import { mkdirSync, readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isRefused, readCell } from '../../../src/cli/outbox/import/cell.js';
import { startProgress } from '../../../src/cli/outbox/progress.js';
import { withTerminal } from '../../../src/cli/output.js';
import { betEvent, betUser, settledBet } from '../../support/factories.js';
import { csvOf, importFolder } from './import-files.js';

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.useRealTimers());

const reports = [
  settledBet({ bet_id: 'B-1', user: betUser({ resident_address: '4 Ogui Road,\n"Annex"; floor\t2' }) }),
  settledBet({ bet_id: 'B-2', win_amount: -0.5 }),
];

describe('CSV', () => {
  it.each([
    ['commas', csvOf(reports)],
    ['semicolons and CR LF', csvOf(reports, { separator: ';', newline: '\r\n' })],
    ['tabs', csvOf(reports, { separator: '\t' })],
    ['quotes around every cell', csvOf(reports, { quoteAll: true })],
    ['a byte order mark', `\ufeff${csvOf(reports)}`],
    ['empty lines', csvOf(reports).replaceAll(/\n(?=B-)/g, '\n\n')],
  ])('with %s gives the same reports', async (_, text) => {
    const { write, run, rows } = importFolder();
    expect(await run(write('bets.csv', text), 'reportSettledBet')).toMatchObject({ code: 0 });
    expect(rows().map(({ body }) => body)).toEqual(reports);
  });

  it('with semicolons refuses an amount that may be grouped, unless --map names its signs', async () => {
    const amounts = ['1.500', '-12.345.678', '1.50', '1500', '1500.000', '0.125'];
    const bets = amounts.map((_, index) => settledBet({ bet_id: `B-${index}`, win_amount: 777_000 + index }));
    const written = csvOf(bets, { separator: ';' }).replaceAll(
      /777000|77700(\d)/g,
      (_, index = 0) => `${amounts[index]}`,
    );
    const { write, run, at, rows } = importFolder();
    const file = write('bets.csv', written);
    expect(await run(file, 'reportSettledBet')).toMatchObject({ code: 1 });
    const refused = readFileSync(at('bets.rejected.csv'), 'utf8').trimEnd().split('\n').slice(1);
    expect(refused).toMatchObject(['B-0', 'B-1'].map((id) => expect.stringMatching(`win_amount,"may be .*${id}$`)));
    const map = write(
      'map.json',
      JSON.stringify({ win_amount: { field: 'win_amount', thousands: '.', decimal: ',' } }),
    );
    write('bets.csv', written.replaceAll(/1\.50;|1500\.000;|0\.125;/g, '2;'));
    expect(await run(file, 'reportSettledBet', '--map', map)).toMatchObject({ code: 0 });
    expect(rows().map(({ body }) => body.win_amount)).toEqual([1500, -12_345_678, 2, 1500, 2, 2]);
  });

  it('has the line numbers of an editor, also after a cell of several lines', async () => {
    const { write, run, at } = importFolder();
    const wrong = settledBet({ bet_id: 'B-3', user: betUser({ nin: '1' }) });
    for (const newline of ['\n', '\r\n']) {
      await run(write('bets.csv', csvOf([...reports, wrong], { newline })), 'reportSettledBet');
      expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toContain('\n5,user.nin,');
    }
  });

  it('that is longer than one read is complete', async () => {
    const { write, run, rows } = importFolder();
    const many = Array.from({ length: 1_500 }, (_, index) =>
      settledBet({
        bet_id: `B-${index}`,
        user: betUser({ resident_address: `${index}\n"é${'x'.repeat(index % 400)}"` }),
      }),
    );
    expect(await run(write('bets.csv', csvOf(many)), 'reportSettledBet')).toMatchObject({ code: 0 });
    expect(rows().map(({ body }) => body)).toEqual(many);
  });

  const good = csvOf(reports);
  it.each([
    ['a quote that is not closed', `${good}B-3,"4 Ogui\n`, /bets\.csv, line 5: a quote is not closed, or text follows/],
    [
      'text after a closing quote',
      good.replace('2"', '2"x'),
      /bets\.csv, line 2: a quote is not closed, or text follows/,
    ],
    [
      'another encoding',
      Buffer.from(`${good}B-\u00e9`, 'latin1'),
      /bets\.csv, line 1 or later: this is not UTF-8 text/,
    ],
    ['UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), /line 1 or later: this is not UTF-8 text/],
    ['UTF-16 without a mark', Buffer.from(good, 'utf16le'), /line 1 or later: this is not UTF-8 text/],
    ['no content', '', /bets\.csv is empty: its export may have failed/],
    ['lines that end with CR', good.replaceAll('\n', '\r'), /the lines end with CR alone/],
    [
      'an unknown column',
      good.replace('payout_amount', 'payoutAmount'),
      /column \d+: payoutAmount is not a field of reportSettledBet; did you mean payout_amount\?; missing columns: payout_amount/,
    ],
    ['a column that is an object', good.replace('ggr', 'user'), /user is an object: give each .* such as user\.\w+;/],
    ['a column twice', good.replace('ggr', 'ur'), /ur is already in column \d+; missing columns: ggr/],
    ['a column without a name', good.replace('ggr', ''), /column \d+ has no name/],
    ['a name that changes objects', good.replace('ggr', 'user.__proto__'), /user\.__proto__ is not a field/],
    ['an IP address', good.replace('ggr', 'clientIP'), /clientIP: an import does not look up IP addresses/],
    ['a list of JSON', JSON.stringify(reports, null, 2), /is one JSON list: write its objects a line each/],
    [
      'no names of columns',
      good.slice(good.indexOf('\n') + 1),
      /the first line contains no field name of reportSettledBet/,
    ],
  ])('with %s is refused', async (_, content, problem) => {
    const { write, run, rows } = importFolder();
    const { code, err } = await run(write('bets.csv', content), 'reportSettledBet');
    expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
    expect(rows).toThrow();
  });

  it('that does not exist, or is a folder, is refused', async () => {
    const { run, at } = importFolder();
    expect(await run(at('none.csv'), 'reportSettledBet')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/there is no file .*none\.csv/),
    });
    mkdirSync(at('folder.csv'));
    expect(await run(at('folder.csv'), 'reportSettledBet')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not a regular file'),
    });
  });

  it('gives every payload back that an independent writer wrote', async () => {
    const odd = fc.constantFrom('a\nb', '\r\nx', 'a\rb', '"', '""', '=1+1', ' a ', "'", 'null', '1e3', '\t,;x');
    const text = fc
      .oneof(odd, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }))
      .filter((value) => value.trim() !== '');
    const amount = fc
      .oneof(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
      )
      .map((value) => value + 0);
    const payload = fc.record({
      bet_id: fc.uuid(),
      amount,
      timestamp: fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }).map(String),
      user: fc
        .record({
          first_name: text,
          last_name: text,
          resident_address: text,
          nin: fc.integer({ min: 0, max: 99_999 }).map((value) => String(value).padStart(11, '0')),
        })
        .chain((more) => fc.constantFrom(true, false).map((is_resident) => betUser({ ...more, is_resident }))),
      metadata: fc.dictionary(fc.constantFrom('note', 'shop', 'a.b'), text),
      location: fc.constant({ latitude: 6.4474, longitude: -0.25, source: 'gps' }),
    });
    const style = fc.record({
      separator: fc.constantFrom(',', ';', '\t'),
      newline: fc.constantFrom('\n', '\r\n'),
      quoteAll: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(payload, { minLength: 1, maxLength: 8, selector: ({ bet_id }) => bet_id }),
        style,
        async (payloads, how) => {
          const { write, run, rows } = importFolder();
          expect(await run(write('bets.csv', csvOf(payloads, how)), 'reportBetEvent')).toMatchObject({
            code: 0,
            err: expect.any(String),
          });
          const expected = payloads.map(({ metadata, ...rest }) =>
            Object.keys(metadata).length > 0 ? { ...rest, metadata } : rest,
          );
          expect(rows().map(({ body }) => body)).toEqual(expected);
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe('a last line without a line break', () => {
  const OPEN = 'does not end with a line break like the first line, so the file may be cut off';
  const ndjson = reports.map((one) => `${JSON.stringify(one)}\n`).join('');

  it.each([
    ['CSV', 'bets.csv', csvOf(reports)],
    ['CSV with CR LF', 'bets.csv', csvOf(reports, { newline: '\r\n' })],
    ['CSV with quotes', 'bets.csv', csvOf(reports, { quoteAll: true })],
    ['NDJSON', 'bets.ndjson', ndjson],
  ])('is refused wherever it was cut: %s', async (_, name, text) => {
    const { write, run, rows } = importFolder();
    const last = text.trimEnd().lastIndexOf('\n');
    // The last cell, then positions all over the line.
    const cuts = [1, 2, 3, 4, 5, 6, 40, 90, 200, 300].map((back) => text.length - back).filter((cut) => cut > last + 1);
    for (const cut of cuts) {
      const { code, err } = await run(write(name, text.slice(0, cut)), 'reportSettledBet');
      // A quote that the cut left open makes the file unreadable.
      expect([cut, code === 1 || err.includes('a quote is not closed')]).toEqual([cut, true]);
    }
    expect(cuts.length).toBeGreaterThan(7);
    expect(rows).toThrow();
  });

  it('is refused alone with --skip-rejected, and named with --json', async () => {
    const { write, run, rows, at } = importFolder();
    const file = write('bets.csv', csvOf(reports).slice(0, -1));
    const { code, out } = await run(file, 'reportSettledBet', '--skip-rejected', '--json');
    expect([code, JSON.parse(out)]).toEqual([
      1,
      expect.objectContaining({
        lines: 2,
        rejected: 1,
        enqueued: 1,
        problems: [{ problem: expect.stringContaining(OPEN), lines: 1 }],
      }),
    ]);
    expect(rows().map(({ reference }) => reference)).toEqual(['B-1']);
    expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toMatch(
      /\n4,,"does not end .* if it is complete, add --last-line-complete",B-2\n/,
    );
  });

  it.each([
    ['bets.csv', csvOf(reports).slice(0, -1)],
    ['bets.csv', csvOf(reports, { newline: '\r\n' }).slice(0, -2)],
    ['bets.ndjson', ndjson.slice(0, -1)],
  ])('is imported if a person says that it is complete: %s', async (name, text) => {
    const { write, run, rows } = importFolder();
    expect(await run(write(name, text), 'reportSettledBet', '--last-line-complete')).toMatchObject({ code: 0 });
    expect(rows().map(({ body }) => body)).toEqual(reports);
  });

  it.each(['\r', '\n'])('is refused with another line break than the first line: %j', async (end) => {
    const { write, run, rows } = importFolder();
    const text = `${csvOf(reports, { newline: '\r\n' }).slice(0, -2)}${end}`;
    expect(await run(write('bets.csv', text), 'reportSettledBet', '--last-line-complete')).toMatchObject({ code: 1 });
    expect(rows).toThrow();
  });

  it('is refused if it is the line of the names', async () => {
    const { write, run } = importFolder();
    const names = csvOf(reports).split('\n')[0] ?? '';
    expect(await run(write('bets.csv', names), 'reportSettledBet')).toMatchObject({
      code: 1,
      err: expect.stringContaining(OPEN),
    });
  });
});

describe('NDJSON', () => {
  it.each([
    [
      'a number that JavaScript would round',
      JSON.stringify(settledBet()).replace('2175', '0.12345678901234567890'),
      ',,contains a number with too many digits: JavaScript would round it,',
    ],
    [
      'a member that is named twice',
      JSON.stringify(settledBet()).replace('"ur"', '"ggr":1,"ur"'),
      ',,contains the name of a member twice,',
    ],
    [
      'a member that is named twice, in a line that is nested too deeply',
      `{"bet_id":"A","bet_id":"B","x":${'{"y":'.repeat(9)}1${'}'.repeat(9)}}`,
      ',,contains the name of a member twice,',
    ],
    [
      'a line that is nested too deeply',
      `{"x":${'{"y":'.repeat(9)}1${'}'.repeat(9)},"bet_id":"A","bet_id":"B"}`,
      ',,is nested deeper than any report,',
    ],
    [
      'a line that is cut off',
      JSON.stringify(settledBet()).slice(0, -20),
      ',,is not a complete JSON object on one line,',
    ],
    ['a list', `{"bet_id":1}\n[${JSON.stringify(settledBet())}]`, '2,,expected a JSON object,'],
    [
      'a number that becomes 0',
      JSON.stringify(settledBet()).replace('2175', '1e-400'),
      ',,contains a number with too many digits: JavaScript would round it,',
    ],
    [
      'a time without zone',
      JSON.stringify({ ...betEvent(), timestamp: '2025-11-20 10:00' }),
      ',timestamp,"has no time zone',
    ],
    ['an IP address', JSON.stringify({ ...settledBet(), clientIP: '192.0.2.1' }), ',clientIP,is not a field of'],
  ])('with %s is refused', async (_, text, problem) => {
    const { write, run, at } = importFolder();
    expect(
      await run(write('bets.jsonl', `${text}\n`), text.includes('10:00') ? 'reportBetEvent' : 'reportSettledBet'),
    ).toMatchObject({ code: 1 });
    expect(readFileSync(at('bets.jsonl.rejected.csv'), 'utf8')).toContain(problem);
  });
});

describe('--map', () => {
  const map = { 'Bet No': 'bet_id', NIN: 'user.nin', remark: null, odds: 'metadata.odds' };
  const bet = {
    ...betEvent({ bet_id: 'B-1', timestamp: '1763632800', metadata: { odds: '2.5', shop: '007' } }),
    location: { latitude: 1, longitude: 2, source: 'gps' },
  };

  it('renames columns, and leaves others out', async () => {
    const { write, run, rows } = importFolder();
    const text = csvOf([{ ...bet, remark: 'none' }])
      .replace('bet_id', 'Bet No')
      .replace('user.nin', 'NIN')
      .replace('metadata.odds', 'odds');
    const words = ['reportBetEvent', '--map', write('map.json', JSON.stringify(map))];
    expect(await run(write('bets.csv', text), ...(words as [string]))).toMatchObject({ code: 0 });
    expect(rows().map(({ body }) => body)).toEqual([bet]);
  });

  it('is refused for NDJSON', async () => {
    const { write, run } = importFolder();
    const { code, err } = await run(
      write('bets.ndjson', JSON.stringify(bet)),
      'reportBetEvent',
      '--map',
      write('map.json', JSON.stringify(map)),
    );
    expect([code, err]).toEqual([2, expect.stringContaining('--map is for CSV: rename the members of NDJSON')]);
  });

  it.each([
    ['{', '--map .*map.json is not JSON'],
    ['[]', 'must contain an object'],
    ['{"a": 1}', 'entry 1 must be a field'],
    ['{"a": {"field": "ur"}}', 'entry 1 must be a field'],
    ['{"bet-id": "bet_id"}', '--map names a column bet-id, which the file does not have; did you mean bet_id\\?'],
    ['{"bet_id": "bet"}', 'bet is not a field of reportSettledBet'],
  ])('that is %s is refused', async (text, problem) => {
    const { write, run } = importFolder();
    const { code, err } = await run(
      write('bets.csv', csvOf(reports)),
      'reportSettledBet',
      '--map',
      write('map.json', text),
    );
    expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
  });
});

it('a column of free members, such as metadata, is not called its own misspelling', async () => {
  const { write, run } = importFolder();
  const { code, err } = await run(write('bets.csv', 'bet_id,metadata\nB-1,x\n'), 'reportBetEvent');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('metadata is an object: give each of its members a column, such as metadata.channel'),
  ]);
  expect(err).not.toContain('did you mean metadata');
});

it.each([
  ['number', '0012.50', 12.5],
  ['number', '-0', 0],
  ['number', '9007199254740991', 9007199254740991],
  ['number', '9007199254740993', undefined],
  ['number', '0.1000000000000000055', undefined],
  ['number', '1e3', undefined],
  ['number', '1,234.50', undefined],
  ['number', ' 1', undefined],
  ['flag', 'TRUE', true],
  ['flag', 'f', false],
  ['flag', '0', false],
  ['flag', 'yes', undefined],
  ['text', '00990', '00990'],
  ['time', '1763632800', '1763632800'],
  ['time', '2025-11-20T10:00:00Z', '1763632800'],
  ['time', '2025-11-20 11:00:00.999+01', '1763632800'],
  ['time', '2025-11-20 11:00+0100', '1763632800'],
  ['time', '2025-11-20 10:00:00', undefined],
  ['time', '2025-02-30T10:00:00Z', undefined],
] as const)('a cell of kind %s with the text %j is read as %j', (kind, text, value) => {
  const read = readCell(kind, text);
  expect(isRefused(read) ? undefined : read).toBe(value);
});

it('progress is a line with rate and remaining time every ten seconds', () => {
  vi.useFakeTimers();
  const stderr = new PassThrough();
  withTerminal({ stdin: Readable.from([]), stdout: new PassThrough(), stderr }, () => {
    const show = startProgress('Checking', 4_000);
    vi.advanceTimersByTime(2_000);
    show(1_000, 1_000);
    expect(stderr.read()).toBe(null);
    vi.advanceTimersByTime(10_000);
    show(2_000, 6_000);
  });
  expect(String(stderr.read())).toBe('Checking: 50 %, 6,000 lines, 500 a second, 12 s left\n');
});
