import { ValidationError } from '../errors/errors.js';
import { exactNumber } from '../schema/decimals.js';

const FORM = 'digits with at most one decimal point';

/**
 * Turns a decimal string, for example a `NUMERIC` of a database, into the number that sends exactly this amount. Throws
 * a `ValidationError` for any other text, and for an amount that no number holds exactly: about 15 digits always fit.
 *
 * @example
 * ```ts
 * await client.reportBetEvent({ bet_id: row.id, amount: amount(row.stake), user });
 * ```
 */
export function amount(decimal: string): number {
  if (typeof decimal !== 'string')
    throw refused(
      'wrong-type',
      `expected a string of ${FORM}, such as '10.50'; a number may have been rounded already`,
    );
  const value = exactNumber(decimal);
  if (value !== undefined) return value;
  if (/^-?\d+(?:\.\d+)?$/.test(decimal))
    throw refused('invalid', 'no number is exactly this amount: it has too many digits');
  throw refused('invalid', `expected ${FORM}, such as '10.50' or '-3': no spaces, separators or exponent`);
}

/** The text is not shown: it may contain any data. */
const refused = (code: 'wrong-type' | 'invalid', message: string) =>
  new ValidationError(`amount: ${message}. Nothing was sent.`, {
    operation: 'amount',
    issues: [{ path: 'decimal', code, message }],
  });
