import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyLedger, type Ledger, type RecordedReport, record, reportsOf } from '../../src/mock/ledger.js';
import type { OperationName } from '../../src/protocol/operations.js';

const RULES = { requireInitiated: true };
const report = (operation: OperationName, reference: string, body: Record<string, unknown> = {}): RecordedReport => ({ operation, reference, body });

/** Records one report after the other. */
const after = (ledger: Ledger, ...reports: RecordedReport[]): Ledger => reports.reduce((held, one) => record(held, one, RULES)[0], ledger);

test('recording makes a new ledger and leaves the older one unchanged', () => {
  const empty = emptyLedger();
  const one = after(empty, report('reportBetEvent', 'A'));
  const two = after(one, report('reportBetEvent', 'B'));
  expect(
    [empty, one, two].map((ledger) =>
      reportsOf(ledger)
        .map(({ reference }) => reference)
        .join(''),
    ),
  ).toEqual(['', 'A', 'AB']);
});

test('an older ledger does not contain the reports of a newer one', () => {
  const empty = emptyLedger();
  after(empty, report('reportBetEvent', 'A'));
  expect(record(empty, report('reportBetEvent', 'A', { other: true }), RULES)[1]).toBe('recorded');
  expect(record(empty, report('reportSettledBet', 'A'), RULES)[1]).toBe('not-initiated');
});

test('two ledgers that grow from the same one are independent', () => {
  const root = after(emptyLedger(), report('reportBetEvent', 'A'));
  const left = after(root, report('reportBetEvent', 'B', { side: 'left' }));
  const right = after(root, report('reportBetEvent', 'B', { side: 'right' }), report('reportBetEvent', 'C'));
  expect(reportsOf(left).map(({ body }) => body)).toEqual([{}, { side: 'left' }]);
  expect(reportsOf(right).map(({ body }) => body)).toEqual([{}, { side: 'right' }, {}]);
  expect(record(left, report('reportBetEvent', 'B', { side: 'left' }), RULES)[1]).toBe('same');
});

test('an answer other than recorded returns the same ledger', () => {
  const ledger = after(emptyLedger(), report('reportBetEvent', 'A'));
  for (const refused of [report('reportBetEvent', 'A'), report('reportBetEvent', 'A', { x: 1 }), report('reportSettledBet', 'Z')]) {
    expect(record(ledger, refused, RULES)[0]).toBe(ledger);
  }
});

test('identifiers that only look alike are kept apart', () => {
  const ledger = after(emptyLedger(), report('reportBetEvent', '1'));
  for (const reference of ['01', '1 ', ' 1', '1.0', '__proto__', 'reportBetEvent 1']) {
    expect(record(ledger, report('reportBetEvent', reference), RULES)[1]).toBe('recorded');
  }
});

const json = fc.jsonValue({ maxDepth: 2 });
const anyReport = fc.record({
  operation: fc.constantFrom<OperationName>('reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'),
  reference: fc.constantFrom('A', 'B', 'C'),
  body: fc.record({ value: fc.oneof(fc.constantFrom(1, 2), json) }),
});

/** The rules again, in their simplest form. */
function model(requireInitiated: boolean) {
  const held = new Map<string, string>();
  const initiated: Partial<Record<OperationName, OperationName>> = { reportSettledBet: 'reportBetEvent', reportSettledWithdrawal: 'reportWithdrawalEvent' };
  const sorted = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : Array.isArray(value)
        ? value.map(sorted)
        : {
            members: Object.keys(value)
              .sort()
              .map((name) => [name, sorted((value as Record<string, unknown>)[name])]),
          };
  return ({ operation, reference, body }: RecordedReport) => {
    const first = initiated[operation];
    if (requireInitiated && first && !held.has(`${first}/${reference}`)) return 'not-initiated';
    const key = `${operation}/${reference}`;
    const data = JSON.stringify(sorted(body));
    const before = held.get(key);
    if (before !== undefined) return before === data ? 'same' : 'conflict';
    held.set(key, data);
    return 'recorded';
  };
}

test('any history is answered as the simple model answers it, and no ledger changes', () => {
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 30 }), fc.boolean(), (history, requireInitiated) => {
      const expected = model(requireInitiated);
      const seen: { ledger: Ledger; reports: RecordedReport[] }[] = [];
      let ledger = emptyLedger();
      for (const one of history) {
        seen.push({ ledger, reports: reportsOf(ledger) });
        const [next, answer] = record(ledger, one, { requireInitiated });
        expect(answer).toBe(expected(one));
        expect(next.length).toBe(ledger.length + (answer === 'recorded' ? 1 : 0));
        ledger = next;
      }
      for (const { ledger: older, reports } of seen) expect(reportsOf(older)).toEqual(reports);
    }),
    { numRuns: 300 },
  );
});
