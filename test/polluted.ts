/** Runs something while all objects inherit these members, as they do once some library was tricked into writing them. No loop sees them: what is tested reads by name. */
export async function polluted<T>(members: Readonly<Record<string, unknown>>, run: () => Promise<T>): Promise<T> {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(Object.prototype, name, { value, enumerable: false, configurable: true, writable: true });
  try {
    return await run();
  } finally {
    for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name);
  }
}
