import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCsvReader, writeCsv } from '../../../src/core/platform/csv.js';

const readCsv = (text: string) => [...createCsvReader()(text, true)];

test('what is written is read again', () => {
  const cell = fc.string({ minLength: 1 }).filter((text) => !/[=+\-@]|\r|\uFEFF/.test(text));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constant('x'), cell), { minLength: 1 }), (rows) => {
      expect(readCsv(`a,b\n${writeCsv(rows)}`).slice(1)).toEqual(rows);
    }),
  );
});

test.each(['=1+1', '+1', '-1', '@x', '\t=1', 'BET;=1+1', 'BET|@x', '"=1', '＝1'])(
  'no cell is a formula, however a spreadsheet parts them: %j',
  (text) => {
    const cells = writeCsv([['x', text]]).split(/[\r\n,;|\t]/);
    expect(cells.filter((cell) => /^[\s"]*[=+\-@＝]/.test(cell))).toEqual([]);
  },
);
