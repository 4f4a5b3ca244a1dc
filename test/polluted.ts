/**
 * Runs something while all objects inherit these members, as they do once some library was tricked into writing them. By default
 * no loop sees them; a member that was assigned is `enumerable`, and `for … in` sees it.
 */
export async function polluted<T>(members: Readonly<Record<string, unknown>>, run: () => Promise<T>, { enumerable = false } = {}): Promise<T> {
  for (const [name, value] of Object.entries(members)) Object.defineProperty(Object.prototype, name, { value, enumerable, configurable: true, writable: true });
  try {
    return await run();
  } finally {
    for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name);
  }
}
