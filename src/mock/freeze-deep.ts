/** Freezes plain data: a recorded report cannot be changed by its readers. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freezeDeep);
  return value;
}
