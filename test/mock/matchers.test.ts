import { describe, expect, test } from 'vitest';
import { createMockGateway, type MockGatewayMatchers, matchers } from '../../src/entries/mock.js';
import { betEvent, betUser, settledBet, withdrawalEvent } from '../support/factories.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: it must be declared as Vitest declares it
  interface Matchers<T = any> extends MockGatewayMatchers<T> {}
}

expect.extend(matchers);

/** A gateway with a bet, its settlement and a withdrawal. */
function holding() {
  const gateway = createMockGateway();
  const location = { latitude: 6.45, longitude: 3.39, source: 'gps' };
  gateway.seed([
    { operation: 'reportBetEvent', body: { ...betEvent({ metadata: { odds: 2 } }), location } },
    { operation: 'reportSettledBet', body: { ...settledBet() } },
    { operation: 'reportWithdrawalEvent', body: { ...withdrawalEvent(), location } },
  ]);
  return gateway;
}

/** The message of a failed assertion. */
function failureText(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return (error as Error).message;
  }
  return expect.fail('the assertion passed');
}

describe('pass if the report is as expected', () => {
  test.each([
    [{}],
    [{ operation: 'reportBetEvent' }],
    [{ reference: 'WR-1' }],
    [{ operation: 'reportSettledBet', reference: 'BET-1', body: { outcome: 'WIN', ggr: -2175, ur: 0 } }],
    [{ body: { user: { nin: '99012345678' } } }],
    [{ body: { location: { latitude: 6.45 }, metadata: { odds: expect.any(Number) } } }],
    [{ body: expect.objectContaining({ amount: 1500 }) }],
  ] as const)('toHaveReport %j', (expected) => {
    expect(holding()).toHaveReport(expected as never);
    expect(createMockGateway()).not.toHaveReport(expected as never);
  });

  test('toHaveReported', () => {
    expect(holding()).toHaveReported('reportBetEvent', 'BET-1');
    expect(holding()).toHaveReported('reportBetEvent', 'BET-1', { amount: 1500 });
    expect(holding()).not.toHaveReported('reportBetEvent', 'BET-1', { amount: 1 });
    expect(holding()).not.toHaveReported('reportBetEvent', 'WR-1');
  });

  test('toHaveReportedTimes', () => {
    expect(holding()).toHaveReportedTimes(3);
    expect(holding()).toHaveReportedTimes(2, { reference: 'BET-1' });
    expect(holding()).toHaveReportedTimes(0, { environment: 'production' });
    expect(holding()).not.toHaveReportedTimes(1);
  });

  test('that nothing is reported', () => {
    expect(createMockGateway()).not.toHaveReport();
    expect(holding()).not.toHaveReport({ environment: 'production' });
  });

  test('a field that must be left out is expected as undefined', () => {
    expect(holding()).toHaveReported('reportBetEvent', 'BET-1', { timestamp: undefined });
    expect(holding()).not.toHaveReported('reportBetEvent', 'BET-1', { amount: undefined });
  });

  test('are plain functions without an extended expect', () => {
    expect(matchers.toHaveReported(holding(), 'reportBetEvent', 'BET-1').pass).toBe(true);
  });
});

describe('fail with a helpful message', () => {
  test('the nearest report, and its differences field by field', () => {
    const body = {
      outcome: 'LOSS',
      ggr: 0,
      ur: expect.any(String),
      win_amount: 2175,
      stake: 3,
      payout_amount: undefined,
    };
    expect(failureText(() => expect(holding()).toHaveReported('reportSettledBet', 'BET-1', body))).toBe(
      `Expected reportSettledBet of BET-1 in staging with this body. The nearest of 3 is reportSettledBet of BET-1:
  - outcome: expected "LOSS", received "WIN"
  - ggr: expected 0, received -2175
  - ur: expected Any<String>, received 0
  - stake: is missing
  - payout_amount: expected to be left out, but present`,
    );
  });

  test('personal values are masked, the expected ones and the received ones', () => {
    const body = {
      amount: 2,
      user: { nin: '12345678901', first_name: 'Ngozi', is_resident: false },
      location: { latitude: 9.0765, source: 'ip' },
      metadata: { odds: 3 },
      'Ngozi Eze': 1,
    };
    const text = failureText(() => expect(holding()).toHaveReport({ operation: 'reportBetEvent', body }));
    expect(text).toBe(
      `Expected reportBetEvent in staging with this body. The nearest of 3 is reportBetEvent of BET-1:
  - amount: expected 2, received 1500
  - user.nin: differs [masked]
  - user.first_name: differs [masked]
  - user.is_resident: expected false, received true
  - location.latitude: differs [masked]
  - location.source: expected "ip", received "gps"
  - metadata.odds: differs [masked]
  - [masked]: is missing`,
    );
  });

  test('a whole object in the place of a value is masked', () => {
    const text = failureText(() =>
      expect(holding()).toHaveReported('reportBetEvent', 'BET-1', { user: 'Adaeze', amount: { nin: betUser().nin } }),
    );
    expect(text).toContain('  - user: differs [masked]');
    expect(text).toContain('  - amount: expected [masked], received 1500');
    expect(text).not.toMatch(/Adaeze|Okonkwo|99012345678/);
  });

  test('another identifier, another operation', () => {
    expect(failureText(() => expect(holding()).toHaveReported('reportSettledBet', 'BET-2'))).toBe(
      `Expected reportSettledBet of BET-2 in staging. The nearest of 3 is reportSettledBet of BET-1:
  - reference: expected "BET-2", received "BET-1"`,
    );
    expect(failureText(() => expect(holding()).toHaveReported('reportSettledWithdrawal', 'WR-1'))).toBe(
      `Expected reportSettledWithdrawal of WR-1 in staging. The nearest of 3 is reportWithdrawalEvent of WR-1:
  - operation: expected "reportSettledWithdrawal", received "reportWithdrawalEvent"`,
    );
  });

  test('nothing is recorded', () => {
    expect(failureText(() => expect(holding()).toHaveReport({ environment: 'production' }))).toBe(
      'Expected report in production. Nothing is recorded there.',
    );
  });

  test('too many or too few', () => {
    expect(failureText(() => expect(holding()).toHaveReportedTimes(1, { reference: 'BET-1' }))).toBe(
      `Expected 1 times report of BET-1 in staging, found 2. Recorded:
  - reportBetEvent of BET-1
  - reportSettledBet of BET-1
  - reportWithdrawalEvent of WR-1`,
    );
  });

  test('a report that should not exist', () => {
    const recorded = `Recorded:
  - reportBetEvent of BET-1
  - reportSettledBet of BET-1
  - reportWithdrawalEvent of WR-1`;
    expect(failureText(() => expect(holding()).not.toHaveReport({ reference: 'BET-1' }))).toBe(
      `Expected no report of BET-1 in staging, but there is one. ${recorded}`,
    );
  });

  test('a long list is cut', () => {
    const gateway = createMockGateway();
    gateway.seed(
      Array.from({ length: 12 }, (_, index) => ({
        operation: 'reportBetEvent',
        body: { ...betEvent({ bet_id: `B-${index}` }) },
      })),
    );
    expect(failureText(() => expect(gateway).not.toHaveReport())).toMatch(
      /^Expected no report in staging.*\n {2}- reportBetEvent of B-2\n[\s\S]*B-11\n {2}- and 2 before them$/,
    );
  });

  test('an operation that does not exist', () => {
    expect(() => expect(holding()).toHaveReport({ operation: 'reportBet' as never })).toThrow(
      /^There is no operation of this name; there are reportBetEvent, /,
    );
  });
});
