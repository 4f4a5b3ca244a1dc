import { newSecret, OWN_SECRET } from '../../seal/key-ring.js';
import type { Run } from './database.js';
import { postgresCodeOf, postgresError } from './failure.js';

/**
 * The settings, which never change once they are kept: each is read once. The outbox's own secret is made at the start,
 * so that a report in a transaction of the user's asks for no connection beside that of the transaction: while such
 * transactions hold the whole pool, none would ever be free.
 */
export async function openSettings(run: Run, schema: string): Promise<(name: string, value: string) => Promise<string>> {
  const known = new Map<string, string>();
  for (const { name, value } of await run(`SELECT name, value FROM ${schema}.settings`)) if (name && typeof value === 'string') known.set(name, value);

  async function remember(name: string, value: string): Promise<string> {
    const before = known.get(name);
    if (before !== undefined) return before;
    const [added] = await run(`INSERT INTO ${schema}.settings (name, value) VALUES ($1::text, $2::text) ON CONFLICT (name) DO NOTHING RETURNING value`, [
      name,
      value,
    ]);
    // A statement of its own: what another one has committed meanwhile was not to be seen by the first one.
    const [found] = added ? [added] : await run(`SELECT value FROM ${schema}.settings WHERE name = $1::text`, [name]);
    if (typeof found?.value !== 'string') throw postgresError('other', schema, undefined, ': it holds a setting that cannot be read');
    known.set(name, found.value);
    return found.value;
  }

  try {
    await remember(OWN_SECRET, newSecret());
  } catch (error) {
    // Whoever may only read has no use for it.
    if (!['read-only', 'privileges'].includes(postgresCodeOf(error))) throw error;
  }
  return remember;
}
