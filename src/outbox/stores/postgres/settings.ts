import { newSecret, OWN_SECRET } from '../../seal/key-ring.js';
import type { Run } from './database.js';
import { postgresCodeOf, postgresError } from './failure.js';

/**
 * Opens the settings. A setting never changes, so each is read once. The outbox's own secret is made at the start, so that a report
 * within the user's transaction needs no second connection. Otherwise, transactions that hold the whole pool would wait for ever.
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
    // A separate statement, since the first one cannot see the commit of another instance in the meantime.
    const [found] = added ? [added] : await run(`SELECT value FROM ${schema}.settings WHERE name = $1::text`, [name]);
    if (typeof found?.value !== 'string') throw postgresError('other', schema, undefined, ': a setting cannot be read');
    known.set(name, found.value);
    return found.value;
  }

  try {
    await remember(OWN_SECRET, newSecret());
  } catch (error) {
    // A role that may only read does not need it.
    if (!['read-only', 'privileges'].includes(postgresCodeOf(error))) throw error;
  }
  return remember;
}
