import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amount, type ClientOptions, createClient, type ValidationError } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../../src/entries/outbox.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';

const place = { latitude: 6.45, longitude: 3.39, source: 'gps' };

function setUp(options: ClientOptions = {}) {
  const gateway = createMockGateway({ requireInitiated: false });
  const client = createClient({ ...gateway.clientOptions(), ...options });
  return { gateway, client, outbox: createOutbox({ client, store: memoryStore() }) };
}

/** A decimal as a fraction of whole numbers, without a JavaScript number in between. */
function fractionOf(decimal: string): { units: bigint; decimals: number } {
  const [, mantissa = '', exponent = '0'] = /^(-?[\d.]+)(?:e([+-]?\d+))?$/.exec(decimal) ?? [];
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  return { units: BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, -decimals)), decimals: Math.max(0, decimals) };
}

function isSameAmount(one: string, other: string): boolean {
  const [a, b] = [fractionOf(one), fractionOf(other)];
  return a.units * 10n ** BigInt(b.decimals) === b.units * 10n ** BigInt(a.decimals);
}

describe('maxDecimals', () => {
  test.each([
    [2, 0.1 + 0.2, 17],
    [2, 10.505, 3],
    [0, 0.5, 1],
    [1, 1e-7, 7],
    [6, 1.25e-7, 9],
    [2, -2175.123, 3],
  ])('of %s refuses %s, which has %s decimals', async (maxDecimals, value, decimals) => {
    const { client, gateway } = setUp({ maxDecimals });
    const error = await failureOf<ValidationError>(client.reportSettledBet(settledBet({ ggr: value })));
    const expected = `expected decimals: at most ${maxDecimals} (maxDecimals), got ${decimals}`;
    expect(error.issues).toEqual([{ path: 'ggr', code: 'invalid', message: expected }]);
    expect(error.message).toContain(`ggr: ${expected}\nNothing was sent.`);
    expect(gateway.reports()).toEqual([]);
  });

  test.each([
    [2, 10.5],
    [2, 10.55],
    [0, 1500],
    [2, 70368744177663.25],
    [0, 9007199254740991],
    [7, 1e-7],
  ])('of %s takes %s', async (maxDecimals, value) => {
    const { client, gateway } = setUp({ maxDecimals });
    await client.reportSettledBet(settledBet({ ggr: value }));
    expect(gateway.reports()).toMatchObject([{ body: { ggr: value } }]);
  });

  test('checks every amount of every report, and no other number', async () => {
    const { client } = setUp({ maxDecimals: 2 });
    const [odd, even] = [1.005, 1.01];
    const amounts = { win_amount: odd, payout_amount: odd, ggr: odd, ur: odd };
    const all = ['win_amount', 'payout_amount', 'ggr', 'ur'];
    expect(await issuesOf(client.reportSettledBet(settledBet(amounts)))).toEqual(all.map((name) => `${name}: invalid`));
    expect(await issuesOf(client.reportBetEvent(betEvent({ amount: odd })))).toEqual(['amount: invalid']);
    expect(await issuesOf(client.reportWithdrawalEvent(withdrawalEvent({ amount: odd })))).toEqual(['amount: invalid']);
    expect(await issuesOf(client.reportSettledWithdrawal(settledWithdrawal({ amount: odd })))).toEqual([
      'amount: invalid',
    ]);
    await client.reportBetEvent(betEvent({ amount: even, metadata: { odds: 1.2345 } }), {
      location: { ...place, accuracy: 12.3456 },
    });
  });

  test('reports an amount together with the other problems of a call', async () => {
    const { client } = setUp({ maxDecimals: 2 });
    expect(await issuesOf(client.reportBetEvent(betEvent({ amount: 0.001 }), { clientIP: 'nonsense' }))).toEqual([
      'clientIP: invalid',
      'amount: invalid',
    ]);
  });

  test('is off by default', async () => {
    const { client, gateway } = setUp();
    await client.reportBetEvent(betEvent({ amount: 0.1 + 0.2 }));
    expect(gateway.reports()).toMatchObject([{ body: { amount: 0.30000000000000004 } }]);
  });

  test('holds in partial mode, with a relay, and for an outbox, which then stores nothing', async () => {
    const partial = createClient({ ...createMockGateway().clientOptions(), validation: 'partial', maxDecimals: 2 });
    expect(await issuesOf(partial.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' }, amount: 0.001 }))).toEqual([
      'amount: invalid',
    ]);
    const relayed = createClient({ relayUrl: 'https://shop.example.com/relay', maxDecimals: 2 });
    expect(await issuesOf(relayed.reportBetEvent({ bet_id: 'B-1', amount: 0.001 }))).toEqual(['amount: invalid']);
    const { outbox } = setUp({ maxDecimals: 2 });
    expect(await issuesOf(outbox.reportBetEvent(betEvent({ amount: 0.001 })))).toEqual(['amount: invalid']);
    expect(await outbox.list()).toEqual([]);
  });

  test.each([-1, 1.5, Number.NaN, '2'])('cannot be %s', (maxDecimals) => {
    expect(() => createClient({ maxDecimals: maxDecimals as number })).toThrow(
      /maxDecimals: expected a whole number from 0/,
    );
  });

  test('accepts values with as many decimals as JSON shows, and refuses the rest', async () => {
    const { client } = setUp({ maxDecimals: 3 });
    const number = fc.oneof(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.integer({ min: -1e6, max: 1e6 }).map((whole) => whole / 1_000),
    );
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(number, fc.uuid(), async (value, bet_id) => {
        const fits = fractionOf(JSON.stringify(value)).decimals <= 3;
        taken += fits ? 1 : 0;
        const call = client.reportSettledBet(settledBet({ bet_id, ggr: value }));
        if (fits) await call;
        else expect(await issuesOf(call)).toEqual(['ggr: invalid']);
      }),
      { seed: 1 },
    );
    expect(taken).toBeGreaterThan(10);
  });
});

describe('amount', () => {
  test.each([
    ['10.50', 10.5],
    ['0', 0],
    ['-0.00', 0],
    ['007.10', 7.1],
    ['-2175', -2175],
    ['9007199254740991', 9007199254740991],
    ['70368744177663.25', 70368744177663.25],
    ['0.0000001', 1e-7],
    [`${'0'.repeat(100_000)}1.5${'0'.repeat(100_000)}`, 1.5],
  ])('of %.40s', (text, number) => {
    expect(Object.is(amount(text), number)).toBe(true);
  });

  const FORM =
    "expected digits with at most one decimal point, such as '10.50' or '-3': no spaces, separators or exponent";
  const INEXACT = 'no number is exactly this amount: it has too many digits';
  const NO_STRING =
    "expected a string of digits with at most one decimal point, such as '10.50'; a number may have been rounded already";

  test.each([
    ...[
      '',
      ' ',
      '10.50 ',
      '\n1',
      '1,000.50',
      '1_000',
      '10,50',
      '.5',
      '5.',
      '+5',
      '--5',
      '1e3',
      '0x10',
      'NaN',
      'Infinity',
      '₦10',
      '١٠',
      '1.2.3',
    ].map((text) => [text, FORM] as const),
    ...[
      '9007199254740992',
      '9007199254740993',
      '-9007199254740992',
      '0.1000000000000000055511151231257827',
      '4503599627370496.25',
      '1234567890.123456789',
    ].map((text) => [text, INEXACT] as const),
    ...[10.5, undefined, null, 1n, {}, ['1']].map((value) => [value as never, NO_STRING] as const),
  ])('refuses %s', async (text, message) => {
    const error = await failureOf<ValidationError>(() => amount(text));
    expect(error).toMatchObject({
      code: 'validation',
      outcome: 'not-sent',
      operation: 'amount',
      issues: [{ path: 'decimal', message }],
    });
    expect(error.message).toBe(`amount: ${message}. Nothing was sent.`);
  });

  test('shows nothing of its argument, which may contain any data', async () => {
    const error = await failureOf<ValidationError>(() => amount('99012345678 Adaeze'));
    expect(JSON.stringify([error, error.message])).not.toMatch(/99012345678|Adaeze/);
  });

  test('returns the number that sends exactly this amount, or refuses', () => {
    const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{1,${most}}$`));
    const decimal = fc.tuple(fc.constantFrom('', '-'), digits(17), fc.option(digits(19), { nil: undefined }));
    let exact = 0;
    fc.assert(
      fc.property(decimal, ([sign, whole, fraction]) => {
        const text = `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`;
        const isNear =
          isSameAmount(JSON.stringify(Number(text)), text) && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;
        if (isNear) {
          exact += 1;
          expect(isSameAmount(JSON.stringify(amount(text)), text)).toBe(true);
        } else {
          expect(() => amount(text)).toThrow(INEXACT);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
    expect(exact).toBeGreaterThan(50);
    expect(exact).toBeLessThan(450);
  });

  test('accepts every amount of at most 15 digits', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }),
        fc.integer({ min: 0, max: 15 }),
        (units, decimals) => {
          const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
          const text = `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}${decimals > 0 ? `.${digits.slice(-decimals)}` : ''}`;
          expect(isSameAmount(JSON.stringify(amount(text)), text)).toBe(true);
        },
      ),
      { seed: 1 },
    );
  });
});
