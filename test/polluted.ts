/**
 * Runs a function while all objects inherit these members, as after an attack on a library. By default loops do not see
 * them. A member that was assigned is `enumerable`, and `for … in` sees it.
 */
export async function polluted<T>(
  members: Readonly<Record<string, unknown>>,
  run: () => Promise<T>,
  { enumerable = false } = {},
): Promise<T> {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(Object.prototype, name, { value, enumerable, configurable: true, writable: true });
  try {
    return await run();
  } finally {
    for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name);
  }
}
