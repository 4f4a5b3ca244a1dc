import { issue, type ValidationIssue } from './issue.js';
import type { Model } from './model.js';

/** The number of decimals that JSON prints: 17 for 0.1 + 0.2. */
function decimalsOf(value: number): number {
  const [digits, exponent = 0] = String(value).split('e-');
  return (digits?.split('.')[1]?.length ?? 0) + Number(exponent);
}

/** All numbers directly in a body are amounts in the specification. */
export const tooManyDecimals = (model: Model, body: object, most: number): ValidationIssue[] =>
  Object.entries(body).flatMap(([name, value]) =>
    model.fields[name] && typeof value === 'number' && decimalsOf(value) > most
      ? [issue([name], 'invalid', `expected decimals: at most ${most} (maxDecimals), got ${decimalsOf(value)}`)]
      : [],
  );

/**
 * The number that JSON prints as this decimal string, apart from zeros at either end. Undefined if there is no number
 * that a report may contain.
 */
export function exactNumber(text: string): number | undefined {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  // Adding 0 turns -0 into 0.
  const value = Number(text) + 0;
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  const [units, decimals = ''] = withoutExponent(Math.abs(value)).split('.');
  return whole.replace(/^0+(?=\d)/, '') === units && fraction === decimals.padEnd(fraction.length, '0')
    ? value
    : undefined;
}

function withoutExponent(value: number): string {
  const [digits = '', exponent] = String(value).split('e-');
  return exponent === undefined ? digits : `0.${'0'.repeat(Number(exponent) - 1)}${digits.replace('.', '')}`;
}
