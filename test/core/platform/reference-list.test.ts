import { expect, test } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { ListError } from '../../../src/core/platform/csv.js';
import { createListReader } from '../../../src/core/platform/reference-list.js';
import { operations, reportNames } from '../../../src/core/protocol/operations.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { personalBet } from '../../outbox/personal.js';
import { failureOf } from '../../support/failure-of.js';

const PLACE = { account: 'default', environment: 'production' };
const listOf = (text: string) => [...createListReader(PLACE)(text, true)];
/** A line of a program that logs its receipts, as the guide shows it. */
const receiptLine = (reference: string) =>
  JSON.stringify({
    at: '2026-11-28T07:00:00.000Z',
    ...PLACE,
    operation: 'reportBetEvent',
    reference,
    outcome: 'recorded',
  });
const referencesOf = (text: string) => listOf(text).map(({ reference }) => reference);

test.each<[string, string, string[]]>([
  ['a reference a line', 'BET-1\nBET-2\n', ['BET-1', 'BET-2']],
  ['lines of Windows, and a byte order mark', '\uFEFFBET-1\r\nBET-2\r\n', ['BET-1', 'BET-2']],
  ['empty lines and blanks', '\n BET-1 \n\n', ['BET-1']],
  ['a column that names bets', 'amount,bet_id\n5,BET-1\n6,BET-2', ['BET-1', 'BET-2']],
  ['a column that names withdrawals', 'Request_ID;status\nWR-1;SUCCESS', ['WR-1']],
  ['tabs between the cells', 'x\treference\n1\tBET-1', ['BET-1']],
  ['quotation marks, commas and lines within a cell', 'bet_id,note\n"BET,1","a ""b""\nc"\nBET-2,', ['BET,1', 'BET-2']],
  ['cells that are empty beyond the columns', 'bet_id,note\nBET-1,,,', ['BET-1']],
  [
    'blanks that belong to a reference',
    'bet_id,note\n"BET-1 ",x\r\n BET-2 ,x\n"BET-3" ,\n"BET-4 "\r\n',
    ['BET-1 ', 'BET-2', 'BET-3', 'BET-4 '],
  ],
  ['rows of blanks', 'amount,bet_id\n5,BET-1\n ,\n,\n', ['BET-1']],
  ['nothing', '', []],
])('a list is read: %s', (_, text, references) => {
  expect(referencesOf(text)).toEqual(references);
});

test('the operation of a row decides which column names its report', () => {
  const text = [
    'operation,Request_ID,bet_id,reference',
    ...reportNames.map((name) => `${name},W-1,B-1,R-1`),
    ',W-2,B-2,R-2',
  ].join('\n');
  const own = reportNames.map((name) => ({
    reference: operations[name].reference === 'bet_id' ? 'B-1' : 'W-1',
    operation: name,
  }));
  expect(listOf(text)).toEqual([...own, { reference: 'B-2', operation: undefined }]);
  const withdrawals = createListReader({ ...PLACE, operation: 'reportSettledWithdrawal' });
  expect([...withdrawals(text, true)].at(-1)).toEqual({ reference: 'W-2', operation: undefined });
  expect(listOf('operation,reference,bet_id\nreportWithdrawalEvent,W-1,B-1\n')).toEqual([
    { reference: 'W-1', operation: 'reportWithdrawalEvent' },
  ]);
});

test.each([
  ['bet_id', 'reportWithdrawalEvent', 'request_id or reference'],
  ['bet_id', 'reportSettledWithdrawal', 'request_id or reference'],
  ['request_id', 'reportSettledBet', 'bet_id or reference'],
])('a column %s names no report of %s', (column, operation, expected) => {
  const words = `line 2: a report of its operation needs a column ${expected}`;
  expect(() => [...createListReader({ ...PLACE, operation })(`${column}\nX-1\n`, true)]).toThrow(words);
  expect(() => listOf(`${column},operation\nX-1,${operation}\n`)).toThrow(words);
});

test('a row without a reference is named by its line, also if it is too short', () => {
  const text =
    'operation,bet_id,request_id\nreportBetEvent,B-1,\n\nreportWithdrawalEvent,W-1,\n"a\nb",\nreportBetEvent\n';
  const lines: number[] = [];
  const read = createListReader(PLACE, { onUnread: (line) => lines.push(line) });
  expect([...read(text, true)]).toEqual([{ reference: 'B-1', operation: 'reportBetEvent' }]);
  expect(lines).toEqual([4, 6, 7]);
  expect(() => listOf(text)).toThrow('line 4 has no reference');
});

test.each([
  ['without a first line of names', 'BET-1,5\nBET-2,6', 1],
  ['with a comma in one reference', 'BET-1\n\nBET,3\n', 3],
  ['with a comma in one reference of a named column', 'bet_id,note\nBET-1,"two\nlines"\nBET,3,\nBET,4,x\n', 5],
])('no list is read %s: a part of a cell is not a reference', (_, text, line) => {
  expect(() => listOf(text)).toThrow(`line ${line} has more cells than the first line names columns`);
});

test('a list is read the same in pieces, wherever it is cut', () => {
  const text =
    '\uFEFFamount;bet_id;operation\r\n5;"B;""1""";reportBetEvent\r\n6;" B-2 ";\r\n\r\n7;"B\n3";reportSettledBet';
  const whole = listOf(text);
  expect(whole).toEqual([
    { reference: 'B;"1"', operation: 'reportBetEvent' },
    { reference: ' B-2 ', operation: undefined },
    { reference: 'B\n3', operation: 'reportSettledBet' },
  ]);
  for (let at = 0; at <= text.length; at += 1)
    for (let size = 1; size <= text.length - at; size += 7) {
      const read = createListReader(PLACE);
      const pieces = [text.slice(0, at), text.slice(at, at + size), text.slice(at + size)];
      expect([...pieces.flatMap((piece) => [...read(piece)]), ...read('', true)]).toEqual(whole);
    }
});

test('a list may be a log: the lines of onReceipt within other lines, or the exported log of receipts', () => {
  const line = (facts: object) => JSON.stringify({ at: '2026-11-28T07:00:00.000Z', ...PLACE, ...facts });
  const log = [
    ...Array.from({ length: 500 }, (_, index) => `Nov 28 07:00:00 worker-1 {"msg":"started","process":${index}}`),
    `Nov 28 07:00:00 worker-1 ${line({ operation: 'reportBetEvent', reference: 'B,"1"\n', outcome: 'recorded' })}`,
    'a line of another program, with "quotes"',
    JSON.stringify({ at: '2026-11-28T07:00:00.200Z', count: 5, hash: 'ab'.repeat(32) }),
    line({ operation: 'reportSettledBet', reference: 'B-2', outcome: 'already-recorded', level: 30 }),
    line({ operation: 'reportBetEvent', reference: 'B-3', outcome: 'dismissed' }),
    line({ operation: 'reportBetEvent', reference: 'B-4', environment: 'staging' }),
    line({ operation: 'reportBetEvent', reference: 'B-5', account: 'brandB' }),
    '',
  ].join('\n');
  const read = createListReader(PLACE);
  const found = [...Array.from(log, (character) => [...read(character)]).flat(), ...read('', true)];
  expect(found).toEqual([
    { reference: 'B,"1"\n', operation: 'reportBetEvent' },
    { reference: 'B-2', operation: 'reportSettledBet' },
  ]);
  expect(() => listOf(log.slice(0, log.indexOf('already-recorded')))).toThrow(ListError);
});

/** Lines as loggers write them, by their documentation. */
const LOGGERS: [string, (line: string, index: number) => string][] = [
  ['pino, as its text', (msg) => JSON.stringify({ level: 30, time: 1764313200000, pid: 7, hostname: 'w-1', msg })],
  [
    'pino, as an object',
    (line) => JSON.stringify({ level: 30, time: 1, pid: 7, hostname: 'w-1', receipt: JSON.parse(line), msg: 'sent' }),
  ],
  [
    'pino, with its members beside those of pino',
    (line) => JSON.stringify({ level: 30, time: 1, ...JSON.parse(line), msg: 'sent "reference":' }),
  ],
  ['winston', (message) => JSON.stringify({ level: 'info', message, service: 'bets', timestamp: '2026-11-28' })],
  ['winston, as an object', (line) => JSON.stringify({ level: 'info', message: JSON.parse(line) })],
  ['winston.format.simple()', (line) => `info: ${line}`],
  [
    'pino in a container',
    (msg) => JSON.stringify({ log: `${JSON.stringify({ level: 30, msg })}\n`, stream: 'stdout', time: '2026-11-28' }),
  ],
  ['pino in Kubernetes', (msg) => `2026-11-28T07:00:00Z stdout F ${JSON.stringify({ level: 30, msg })}`],
  ['a plain file', (line) => line],
];

test('no error in a log is taken for a receipt: it proves the opposite', async () => {
  const gateway = createMockGateway();
  const client = createClient({ ...gateway.clientOptions(), retry: { limit: 0 } });
  gateway.faults.add({ kind: 'status', status: 422 });
  const refused = await failureOf(client.reportBetEvent(personalBet('B-1')));
  gateway.faults.add({ kind: 'connection-reset', when: 'before' });
  const inDoubt = await failureOf(client.reportBetEvent(personalBet('B-2')));
  const receipt = await client.reportBetEvent(personalBet('B-3'));
  const log = [refused, inDoubt, { of: 'bets', outcome: 'WIN', reference: 'B-4', operation: 'reportBetEvent' }].map(
    (err) => `${JSON.stringify({ level: 50, err, msg: 'report failed' })}\n`,
  );
  const both = `${JSON.stringify({ err: refused, receipt })}\n`;
  const found = [...createListReader({ account: 'default', environment: 'staging' })(log.join('') + both, true)];
  expect(found).toEqual([{ reference: 'B-3', operation: 'reportBetEvent' }]);
});

test.each(LOGGERS)('the lines of onReceipt are found in a log of %s', (_, logged) => {
  const line = (facts: object) => JSON.stringify({ at: '2026-11-28T07:00:00.000Z', ...facts });
  const receipt = { ...PLACE, operation: 'reportBetEvent', outcome: 'recorded', attempts: 1 };
  const log = [
    JSON.stringify({ level: 30, msg: 'started' }),
    logged(line({ ...receipt, reference: 'B "1"\\n{' }), 0),
    logged(line({ ...receipt, reference: 'B-2', operation: 'reportSettledBet' }), 1),
    JSON.stringify({ level: 30, msg: 'a payment', payment: { reference: 'PAY-1' } }),
    logged(line({ count: 2, hash: 'ab'.repeat(32) }), 2),
    logged(line({ ...receipt, reference: 'B-3', environment: 'staging' }), 3),
    '',
  ].join('\n');
  expect(listOf(log)).toEqual([
    { reference: 'B "1"\\n{', operation: 'reportBetEvent' },
    { reference: 'B-2', operation: 'reportSettledBet' },
  ]);
});

test.each([
  ['pino', JSON.stringify({ level: 30, time: 1, msg: 'started' })],
  ['winston', JSON.stringify({ message: 'started', level: 'info' })],
  ['a program that puts words before', `Nov 28 07:00:00 worker-1 ${JSON.stringify({ msg: 'started' })}`],
])('a log of %s without receipts is not a list of references', (_, line) => {
  expect(() => listOf(`${line}\n`.repeat(40))).toThrow(/a log in JSON without receipts/);
  // The receipts may come later than the reader looks.
  expect(() => {
    const read = createListReader(PLACE);
    for (let times = 0; times < 3_000; times += 1) for (const _ of read(`${line}\n`));
  }).toThrow(ListError);
});

test.each([
  ['a receipt within quotes', 'level=info msg="{\\"operation\\":\\"reportBetEvent\\",\\"reference\\":\\"B-1\\"}"'],
  ['a text that was cut', JSON.stringify({ msg: '{"operation":"reportBetEvent","reference":"B-1","outc' })],
])('no line of a log is passed over: %s', (_, line) => {
  expect(() => listOf(`started\n${line}\n`)).toThrow('line 2 is not complete JSON');
});

test('a log is read past the lines that a crash has cut off, and each is named by its number', () => {
  const cut = receiptLine('B-2');
  for (let length = 2; length < cut.length; length += 1) {
    const half = cut.slice(0, length);
    for (const [text, found, lines] of [
      [`${receiptLine('B-1')}\n${half}\n${receiptLine('B-3')}\n`, ['B-1', 'B-3'], [2]],
      [`${receiptLine('B-1')}\n${half}${receiptLine('B-3')}\n${receiptLine('B-4')}\n`, ['B-1', 'B-4'], [2]],
      [`${receiptLine('B-1')}\n\nstarted\n${half}`, ['B-1'], [4]],
    ] as const) {
      const torn: number[] = [];
      const onOpenEnd = () => {
        throw new Error('the end of a log shows whether it is whole: expected no question');
      };
      const read = createListReader(PLACE, { onUnread: (number) => torn.push(number), onOpenEnd });
      const pieces = [text.slice(0, length), text.slice(length)];
      const reports = [...pieces.flatMap((piece) => [...read(piece)]), ...read('', true)];
      expect([reports.map(({ reference }) => reference), torn]).toEqual([found, lines]);
    }
  }
});

test('a line that began after the words of a program is named, wherever it was cut off', () => {
  for (const logged of [receiptLine, (reference: string) => JSON.stringify(receiptLine(reference)).slice(1)]) {
    const cut = logged('B-2');
    for (let length = cut.indexOf('"') + 1; length < receiptLine('B-2').length; length += 1) {
      const lines: number[] = [];
      const read = createListReader(PLACE, { onUnread: (number) => lines.push(number) });
      const text = `app ${receiptLine('B-1')}\nstarted {"x"} in {} {"y":1} ms\napp ${cut.slice(0, length)}`;
      expect([[...read(text, true)].length, lines]).toEqual([1, [3]]);
    }
  }
});

test('a line is named if zeros stand where a loss of power has taken a part of the log', () => {
  for (const hole of [`${'\0'.repeat(300)}`, `\n${'\0'.repeat(300)}\n`, `{"at":"2026${'\0'.repeat(300)}\n`]) {
    const lines: number[] = [];
    const read = createListReader(PLACE, { onUnread: (number) => lines.push(number) });
    const found = [...read(`${receiptLine('B-1')}\n${hole}${receiptLine('B-2')}\n${receiptLine('B-3')}\n`, true)];
    expect(found.map(({ reference }) => reference).filter((one) => one !== 'B-2')).toEqual(['B-1', 'B-3']);
    expect(lines.length).toBe(1);
  }
});

test('every receipt of a line is read', () => {
  const receipt = (reference: string, more = {}) => ({
    ...PLACE,
    operation: 'reportBetEvent',
    reference,
    outcome: 'recorded',
    ...more,
  });
  const logs = [receipt('B-1'), JSON.stringify(receipt('B-2')), receipt('B-3', { outcome: 'dismissed' })];
  const other = receipt('B-4', { account: 'brandB' });
  expect(referencesOf(`${JSON.stringify({ logs: [...logs, other], last: receipt('B-5') })}\n`)).toEqual([
    'B-1',
    'B-2',
    'B-5',
  ]);
});

test.each([
  ['a quote that is not closed', 'bet_id\n"B-1\nB-2\n'],
  ['a quote that takes the whole list', `bet_id\n"B-1\n${'B-2\n'.repeat(100_000)}`],
  ['a text without lines', 'x'.repeat(200_000)],
])('no list is read past %s', (_, text) => {
  expect(() => listOf(text)).toThrow(ListError);
});
