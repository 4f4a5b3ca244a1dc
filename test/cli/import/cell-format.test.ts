import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { isRefused } from '../../../src/cli/outbox/import/cell.js';
import { readCellFormat } from '../../../src/cli/outbox/import/cell-format.js';
import { betEvent } from '../../support/factories.js';
import { csvOf, importFolder } from './import-files.js';

vi.setConfig({ testTimeout: 60_000 });

const bet = (bet_id: string, timestamp: string, amount: string | number) => ({
  ...betEvent({ bet_id }),
  timestamp,
  amount,
  location: { latitude: 6.4474, longitude: 7.5139, source: 'gps' },
});
const LAGOS = { field: 'timestamp', format: 'dd/MM/yyyy HH:mm', zone: 'Africa/Lagos' };
const STAKE = { field: 'amount', thousands: ',', decimal: '.' };

describe('a mapping that names the forms', () => {
  it('gives the dates and amounts of a spreadsheet', async () => {
    const { write, run, rows } = importFolder();
    const bets = [bet('B-1', '02/01/2026 10:00', '1,500.00'), bet('B-2', '13/12/2025 00:30', '-1,234,567.5')];
    const text = csvOf(bets).replace('timestamp', 'placed_at').replace('amount', 'stake');
    const map = write('map.json', JSON.stringify({ placed_at: LAGOS, stake: STAKE }));
    expect(await run(write('bets.csv', text), 'reportBetEvent', '--map', map)).toMatchObject({ code: 0 });
    expect(rows().map(({ body }) => [body.timestamp, body.amount])).toEqual([
      [String(Date.parse('2026-01-02T09:00:00Z') / 1_000), 1500],
      [String(Date.parse('2025-12-12T23:30:00Z') / 1_000), -1_234_567.5],
    ]);
  });

  it('is proposed for a date and an amount in another form', async () => {
    const { write, run, at } = importFolder();
    const file = write('bets.csv', csvOf([bet('B-1', '02/01/2026 10:00', '1,500.00'), bet('B-2', '2026-01-02', 1)]));
    expect(await run(file, 'reportBetEvent')).toMatchObject({ code: 1 });
    const list = readFileSync(at('bets.rejected.csv'), 'utf8');
    expect(list.match(/,timestamp,"expected Unix seconds, or .* such as 2026-11-20T10:00:00Z .*--map/g)).toHaveLength(
      2,
    );
    expect(list).toMatch(/,amount,"expected digits .*--map can name the separators/);
  });

  it.each([
    [{ amount: { ...LAGOS, field: 'amount' } }, 'the form of another kind of field'],
    [{ timestamp: { ...STAKE, field: 'timestamp' } }, 'the form of another kind of field'],
    [{ timestamp: { ...LAGOS, zone: 'Africa/Lagoss' } }, 'entry 1 must be a field such as'],
    [{ timestamp: { column: 'placed_at', format: 'dd/MM/yyyy HH:mm', zone: 'Africa/Lagos' } }, 'entry 1 must be'],
  ])('is refused if it does not fit: %j', async (map, problem) => {
    const { write, run } = importFolder();
    const file = write('bets.csv', csvOf([bet('B-1', '1763632800', 1)]));
    const words = [file, 'reportBetEvent', '--map', write('map.json', JSON.stringify(map))] as const;
    expect(await run(...words)).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
  });
});

const read = (form: object, cell: string) => {
  const text = readCellFormat({ field: 'x', ...form })?.rewrite(cell);
  return text !== undefined && isRefused(text) ? `refused: ${text.why}` : text;
};

describe('a date', () => {
  it.each([
    ['dd/MM/yyyy HH:mm', 'Africa/Lagos', '02/01/2026 10:00', '2026-01-02T10:00:00+01:00'],
    ['d/M/yyyy h:mm a', 'UTC', '2/1/2026 12:05 AM', '2026-01-02T00:05:00Z'],
    ['M/d/yyyy hh:mm:ss a', 'America/New_York', '7/4/2026 12:05:09 pm', '2026-07-04T12:05:09-04:00'],
    ['yyyy-MM-ddTHH:mm:ss.SSS', 'Asia/Kolkata', '2026-01-02T10:00:59.999', '2026-01-02T10:00:59+05:30'],
    ['dd.MM.yyyy H:mm', 'Europe/Berlin', '29.03.2026 3:00', '2026-03-29T03:00:00+02:00'],
    ['dd.MM.yyyy HH:mm', 'Europe/Berlin', '29.03.2026 01:59', '2026-03-29T01:59:00+01:00'],
    ['dd.MM.yyyy HH:mm', 'Europe/Berlin', '25.10.2026 03:00', '2026-10-25T03:00:00+01:00'],
    ['yyyyMMddHHmm', 'Pacific/Apia', '201112310000', '2011-12-31T00:00:00+14:00'],
  ])('in the form %s of %s: %s', (format, zone, cell, expected) => {
    expect(read({ format, zone }, cell)).toBe(String(Date.parse(expected) / 1_000));
  });

  it.each([
    ['that the zone skips', '29.03.2026 02:30', 'does not exist'],
    ['that the zone has twice', '25.10.2026 02:30', 'exists twice'],
    ['that does not exist', '30.02.2026 10:00', 'does not exist'],
    ['with the month and the day changed', '02.13.2026 10:00', 'does not exist'],
    ['with hour 24', '01.02.2026 24:00', 'does not exist'],
    ['with minute 60', '01.02.2026 10:60', 'does not exist'],
    ['with seconds', '01.02.2026 10:00:00', 'expected a date in the form dd.MM.yyyy HH:mm'],
    ['with one digit', '1.2.2026 10:00', 'expected a date in the form'],
    ['in another form', '01/02/2026 10:00', 'expected a date in the form'],
    ['without a time', '01.02.2026', 'expected a date in the form'],
  ])('%s is refused', (_, cell, problem) => {
    expect(read({ format: 'dd.MM.yyyy HH:mm', zone: 'Europe/Berlin' }, cell)).toMatch(`refused: `);
    expect(read({ format: 'dd.MM.yyyy HH:mm', zone: 'Europe/Berlin' }, cell)).toContain(problem);
  });

  it.each([
    'dd/MM/yyyy',
    'dd/MM/yy HH:mm',
    'dd/MM/yyyy hh:mm',
    'dd/MM/yyyy HH:mm a',
    'dd/MM/yyyy HH:mm:mm',
    'dd/MM/yyyy HH:m',
    'DD/MM/YYYY HH:mm',
    'dd MMM yyyy HH:mm',
    '',
  ])('has no form %j', (format) => expect(readCellFormat({ field: 'timestamp', format, zone: 'UTC' })).toBeUndefined());

  it('does not depend on the zone of the process', () => {
    const before = process.env.TZ;
    try {
      for (const zone of ['America/New_York', 'Pacific/Kiritimati', 'UTC']) {
        process.env.TZ = zone;
        expect(read(LAGOS, '02/01/2026 00:30')).toBe(String(Date.parse('2026-01-01T23:30:00Z') / 1_000));
      }
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });
});

describe('an amount', () => {
  it.each([
    [',', '.', '1,500.00', '1500.00'],
    [',', undefined, '-1,234,567', '-1234567'],
    [',', '.', '1500.5', '1500.5'],
    ['.', ',', '1.500,00', '1500.00'],
    [undefined, ',', '1500,25', '1500.25'],
    ["'", '.', "1'500", '1500'],
    ['\u00a0', ',', '1\u00a0500,1', '1500.1'],
  ])('with %j and %j: %s', (thousands, decimal, cell, expected) => {
    expect(read({ thousands, decimal }, cell)).toBe(expected);
  });

  it.each([
    '0,500',
    '01,500',
    '1,50',
    '1,5000',
    '15,00.00',
    ',500',
    '1,500.',
    '1.500,00',
    '1 500',
    '(1,500)',
    '1e3',
    '',
    '1,500.00 ',
  ])('is refused: %j', (cell) => expect(read(STAKE, cell)).toMatch('refused: '));

  it.each([
    [',', ','],
    ['.', undefined],
    [undefined, '.'],
    ['', '.'],
    ['x', '.'],
    [',', ';'],
    [1, '.'],
  ])('has no separators %j and %j', (thousands, decimal) =>
    expect(readCellFormat({ field: 'amount', thousands, decimal })).toBeUndefined(),
  );
});
