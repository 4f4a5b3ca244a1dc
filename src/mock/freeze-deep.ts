/** Freezes plain data: what was recorded is immutable, also for whoever reads it. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freezeDeep);
  return value;
}
