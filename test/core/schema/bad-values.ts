import fc from 'fast-check';

/** Texts in wrong fields: no message may repeat them. */
export const CANARY = 'do-not-repeat-this';

/** Makes a bad value when it is needed: some would break the test's own tools. */
export type Bad = fc.Arbitrary<() => unknown>;

export const made = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<() => T> => values.map((value) => () => value);

export const fails = (): never => {
  throw new Error(CANARY);
};

const throwingProxy = (target: object = {}) =>
  new Proxy(target, { get: fails, has: fails, ownKeys: fails, getOwnPropertyDescriptor: fails, getPrototypeOf: fails });

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cycle(): object {
  const round: Record<string, unknown> = { text: CANARY };
  round.again = { round };
  return round;
}

const nested = (depth: number): unknown => (depth === 0 ? CANARY : { deeper: [nested(depth - 1)] });
const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, index]));
const shared = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => wide));

const UNREADABLE: readonly (() => unknown)[] = [throwingProxy, () => throwingProxy([]), revokedProxy];

/** Values that no field accepts. */
const NEVER_A_VALUE: readonly (() => unknown)[] = [
  ...UNREADABLE,
  () => Object.defineProperty({}, 'text', { get: fails, enumerable: true }),
  cycle,
  () => fails,
  () => class {},
  () => Symbol(CANARY),
  () => 9_007_199_254_740_993n,
  () => Number.NaN,
  () => Number.NEGATIVE_INFINITY,
  () => null,
  () => [],
  () => [CANARY],
  () => new Array(4_294_967_295),
  () => new Map([[CANARY, CANARY]]),
  () => new Set([1]),
  () => /^x$/,
  () => new Uint8Array(8),
  () => new Date(Number.NaN),
  () => Object(CANARY),
  () => Object(1),
  () => ({ [Symbol.toStringTag]: 'Date' }),
  () => ({ toJSON: () => CANARY }),
  () => nested(6),
  () => nested(5_000),
  () => shared,
];

const constants = (...values: unknown[]) => made(fc.constantFrom(...values));

export const neverAValue: Bad = fc.oneof(
  { weight: 300, arbitrary: fc.constantFrom(...NEVER_A_VALUE) },
  { weight: 100, arbitrary: made(fc.array(fc.anything({ maxDepth: 2 }), { maxLength: 5 })) },
  // Refusing a larger object takes long.
  { weight: 1, arbitrary: constants(wide) },
);

/** Values that cannot be read. */
export const hostile: Bad = fc.constantFrom(...UNREADABLE);

const blank = constants('', ' ', '\n\t', '\u00a0', '\u2003\ufeff');
const anObject = made(fc.object({ maxDepth: 1 }));
const aText = made(fc.string());
const aNumber = made(fc.oneof(fc.integer(), fc.double()));
const aFlag = made(fc.boolean());
const digits = (range: { minLength: number; maxLength: number }) =>
  made(fc.array(fc.integer({ min: 0, max: 9 }), range).map((all) => all.join('')));
const outside = (limit: number) =>
  fc
    .tuple(fc.double({ noNaN: true, min: limit, minExcluded: true }), fc.constantFrom(1, -1))
    .map(([beyond, sign]) => beyond * sign);

const noAmount = fc.oneof(
  made(outside(Number.MAX_SAFE_INTEGER)),
  aText,
  aFlag,
  anObject,
  constants(Number.NaN, Number.POSITIVE_INFINITY, 1n, CANARY),
);

/** Wrong values for the fields with special rules, by name. */
const WRONG: Readonly<Record<string, Bad>> = {
  nin: fc.oneof(
    aNumber,
    made(fc.string().filter((text) => !/^[0-9]{11}$/.test(text))),
    digits({ minLength: 0, maxLength: 10 }),
    digits({ minLength: 12, maxLength: 40 }),
    constants('٩٩٠١٢٣٤٥٦٧٨', '99012345678\n', ' 99012345678', '9901234567８', `9901234567${CANARY}`),
  ),
  timestamp: fc.oneof(
    aNumber,
    digits({ minLength: 11, maxLength: 20 }),
    made(fc.date({ min: new Date('2290-01-01'), max: new Date('9999-01-01') })),
    made(fc.date({ max: new Date(-1000) })),
    constants('-5', '1e9', '1795161600.5', '2026-11-20T00:00:00Z', ' 1', CANARY),
  ),
  account_last4: fc.oneof(
    aNumber,
    blank,
    digits({ minLength: 5, maxLength: 16 }),
    constants('0123-4567-89', `12 34 5 ${CANARY}`),
  ),
  amount: noAmount,
  win_amount: noAmount,
  payout_amount: noAmount,
  ggr: noAmount,
  ur: noAmount,
  latitude: fc.oneof(made(outside(90)), constants('6.45', CANARY)),
  longitude: fc.oneof(made(outside(180)), constants('3.39', CANARY)),
};

/** Wrong values for a field, derived from its name and a valid value. */
export function wrongFor(name: string, right: unknown): Bad {
  const own = WRONG[name];
  if (own) return fc.oneof(own, neverAValue);
  if (typeof right === 'string') return fc.oneof(blank, aNumber, aFlag, anObject, neverAValue);
  if (typeof right === 'number') return fc.oneof(aText, aFlag, anObject, neverAValue);
  if (typeof right === 'boolean') return fc.oneof(aText, aNumber, anObject, neverAValue);
  return fc.oneof(aText, aNumber, aFlag, neverAValue);
}

const option = (name: string, ...wrong: Bad[]): Bad => fc.oneof(...wrong).map((make) => () => ({ [name]: make() }));

/** Wrong options of a call. */
export const wrongOptions: Bad = fc.oneof(
  fc.oneof(aText, aNumber, aFlag, constants(null, [], fails), hostile),
  option(
    'environment',
    aNumber,
    made(fc.string().filter((text) => text !== 'staging' && text !== 'production')),
    neverAValue,
  ),
  option(
    'clientIP',
    aNumber,
    constants('', '1.2.3', '256.1.1.1', '102.89.1.1:80', '102.89.1.1, 10.0.0.1', 'fe80::1%eth0', '::g', CANARY),
    neverAValue,
  ),
  option('timeoutMs', constants(-1, 2 ** 31, '5', CANARY), neverAValue),
  option('signal', aText, aNumber, constants(null, {}, { aborted: false }), hostile),
  option(
    'location',
    made(outside(90).map((latitude) => ({ latitude, longitude: 0 }))),
    constants({}, CANARY, 0),
    neverAValue,
  ),
  made(
    fc
      .tuple(fc.constantFrom('clientIp', 'timeout', 'apiKey', 'headers'), fc.string())
      .map(([name, value]) => ({ [name]: value })),
  ),
  made(
    fc
      .constantFrom('__proto__', 'constructor', 'prototype')
      .map((name) => JSON.parse(`{"${name}":{"polluted":true}}`) as unknown),
  ),
);
