import { expect, test } from 'vitest';
import { createComparison, dayOf, proofCsv } from '../../../src/core/platform/proof.js';

test('a day begins and ends at midnight in Nigeria', () => {
  expect(dayOf(Date.parse('2026-11-27T22:59:59.999Z'))).toBe('2026-11-27');
  expect(dayOf(Date.parse('2026-11-27T23:00:00.000Z'))).toBe('2026-11-28');
  expect(dayOf(Number.NaN)).toBe('');
});

test('a proof names its list, its day, its span, the head and the receipt of each report', () => {
  const report = { operation: 'reportBetEvent', environment: 'production' };
  const at = (time: string) => Date.parse(`2026-11-${time}Z`);
  const comparison = createComparison('2026-11-27');
  const found = [
    {
      ...report,
      reference: 'B-1',
      state: 'recorded',
      outcome: 'recorded',
      enqueuedAt: at('27T08:00:00'),
      endedAt: at('27T08:00:01'),
      receipt: 0,
    },
    {
      ...report,
      reference: 'B-2',
      state: 'recorded',
      outcome: 'declared-recorded',
      enqueuedAt: at('27T09:00:00'),
      endedAt: at('28T09:00:00'),
      receipt: 7,
    },
    {
      ...report,
      reference: 'B-3',
      state: 'recorded',
      outcome: 'recorded',
      enqueuedAt: at('26T09:00:00'),
      endedAt: at('27T09:00:00'),
      receipt: 1,
    },
    {
      ...report,
      reference: 'B-4',
      state: 'quarantined',
      problem: { code: 'unprocessable' },
      enqueuedAt: at('27T08:30:00'),
    },
    { ...report, reference: '=B-5', state: 'never-seen' },
    { ...report, reference: '=B-5', state: 'never-seen' },
  ].filter(comparison.add);
  const facts = comparison.facts({
    at: at('28T07:00:00'),
    list: 'ab'.repeat(32),
    account: 'default',
    head: { count: 9, hash: 'cd'.repeat(32) },
    elsewhere: 3,
  });
  expect(proofCsv(facts, found).split('\r\n')).toEqual([
    'made at,2026-11-28T07:00:00.000Z',
    `SHA-256 of the list,${'ab'.repeat(32)}`,
    'account,default',
    'only enqueued on,"2026-11-27, in Nigeria; others left out: 1"',
    'first and last enqueued,2026-11-27T08:00:00.000Z to 2026-11-27T09:00:00.000Z',
    'recorded,"2 of 4; declared recorded by a person: 1"',
    `head of the log of receipts,"9 entries, ${'cd'.repeat(32)}"`,
    '"receipts of other accounts or environments, left out",3',
    '"named again, and counted once",1',
    '',
    'reference,operation,environment,state,outcome,problem,enqueued,ended,receipt',
    'B-1,reportBetEvent,production,recorded,recorded,,2026-11-27T08:00:00.000Z,2026-11-27T08:00:01.000Z,0',
    'B-2,reportBetEvent,production,recorded,declared-recorded,,2026-11-27T09:00:00.000Z,2026-11-28T09:00:00.000Z,7',
    'B-4,reportBetEvent,production,quarantined,,unprocessable,2026-11-27T08:30:00.000Z,,',
    "'=B-5,reportBetEvent,production,never-seen,,,,,",
    '',
  ]);
  expect(comparison.counts).toEqual({ total: 4, recorded: 2, declared: 1, unknown: 1, otherDays: 1, repeated: 1 });
});
