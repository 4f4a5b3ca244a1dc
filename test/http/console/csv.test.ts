import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv, referencesOf, writeCsv } from '../../../pages/console/csv.js';

test.each<[string, string, string[]]>([
  ['a reference a line', 'BET-1\nBET-2\n', ['BET-1', 'BET-2']],
  ['lines of Windows, and a byte order mark', '\uFEFFBET-1\r\nBET-2\r\n', ['BET-1', 'BET-2']],
  ['empty lines and blanks', '\n BET-1 \n\n', ['BET-1']],
  ['a column that names bets', 'amount,bet_id\n5,BET-1\n6,BET-2', ['BET-1', 'BET-2']],
  ['a column that names withdrawals', 'Request_ID;status\nWR-1;SUCCESS', ['WR-1']],
  ['tabs between the cells', 'x\treference\n1\tBET-1', ['BET-1']],
  ['quotation marks, commas and lines within a cell', 'bet_id,note\n"BET,1","a ""b""\nc"\nBET-2,', ['BET,1', 'BET-2']],
  ['no known column: the first one', 'BET-1,5\nBET-2,6', ['BET-1', 'BET-2']],
  ['a row that is too short', 'amount,bet_id\n5', []],
  ['nothing', '', []],
])('a list is read: %s', (_, text, references) => {
  expect(referencesOf(text)).toEqual(references);
});

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
