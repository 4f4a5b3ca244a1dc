/** A `Retry-After` header in milliseconds: seconds or an HTTP date; undefined where it is neither. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^[0-9]+$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
