import type { createCommits } from './commits.js';
import { type Connection, columns } from './database.js';

/** The settings of a store. A setting never changes. */
export function createSettings(connection: Connection, { read, write }: Pick<ReturnType<typeof createCommits>, 'read' | 'write'>) {
  const kept = (name: string) => connection.first(`SELECT ${columns('value')} FROM outbox_settings WHERE name = ?`, name)?.value;
  return {
    /** Keeps the value unless the setting exists; resolves with the kept one. If it exists, nothing is written: the user's transaction may be open. */
    async remember(name: string, value: string): Promise<string> {
      const known = await read(() => kept(name));
      if (known !== undefined) return String(known);
      return write(() => {
        connection.run('INSERT INTO outbox_settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', name, value);
        return String(kept(name));
      });
    },
  };
}
