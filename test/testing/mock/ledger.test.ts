import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OperationName } from '../../../src/core/protocol/operations.js';
import { type Ledger, type RecordedReport, record } from '../../../src/testing/mock/ledger.js';

const RULES = { requireInitiated: true };
const report = (operation: OperationName, reference: string, body: Record<string, unknown> = {}): RecordedReport => ({
  operation,
  reference,
  body,
});

test('an answer other than recorded leaves the ledger as it is', () => {
  const ledger: Ledger = new Map();
  expect(record(ledger, report('reportBetEvent', 'A'), RULES)).toBe('recorded');
  expect(
    [report('reportBetEvent', 'A'), report('reportBetEvent', 'A', { x: 1 }), report('reportSettledBet', 'Z')].map(
      (refused) => record(ledger, refused, RULES),
    ),
  ).toEqual(['same', 'conflict', 'not-initiated']);
  expect([...ledger.values()]).toEqual([report('reportBetEvent', 'A')]);
});

test('identifiers that only look alike are kept apart', () => {
  const ledger: Ledger = new Map();
  record(ledger, report('reportBetEvent', '1'), RULES);
  for (const reference of ['01', '1 ', ' 1', '1.0', '__proto__', 'reportBetEvent 1']) {
    expect(record(ledger, report('reportBetEvent', reference), RULES)).toBe('recorded');
  }
});

const json = fc.jsonValue({ maxDepth: 2 });
const anyReport = fc.record({
  operation: fc.constantFrom<OperationName>(
    'reportBetEvent',
    'reportSettledBet',
    'reportWithdrawalEvent',
    'reportSettledWithdrawal',
  ),
  reference: fc.constantFrom('A', 'B', 'C'),
  body: fc.record({ value: fc.oneof(fc.constantFrom(1, 2), json) }),
});

/** The rules again, in their simplest form. */
function model(requireInitiated: boolean) {
  const held = new Map<string, string>();
  const initiated: Partial<Record<OperationName, OperationName>> = {
    reportSettledBet: 'reportBetEvent',
    reportSettledWithdrawal: 'reportWithdrawalEvent',
  };
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

test('any history is answered as the simple model answers it', () => {
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 30 }), fc.boolean(), (history, requireInitiated) => {
      const expected = model(requireInitiated);
      const ledger: Ledger = new Map();
      const recorded: RecordedReport[] = [];
      for (const one of history) {
        const answer = record(ledger, one, { requireInitiated });
        expect(answer).toBe(expected(one));
        if (answer === 'recorded') recorded.push(one);
        expect([...ledger.values()]).toEqual(recorded);
      }
    }),
    { numRuns: 300 },
  );
});
