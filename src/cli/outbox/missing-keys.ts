import { keyIdOf } from '../../outbox/seal/standard-seal.js';
import type { OutboxStore } from '../../outbox/store.js';

const PAGE = 500;
/** Beyond so many waiting reports it is not looked: a key that is missing shows early. */
const MOST_LOOKED_AT = 10_000;

/** The ids of keys that waiting reports were last found to need, in vain; of the oldest reports that wait. */
export async function findMissingKeys(store: OutboxStore, account?: string): Promise<string[]> {
  const found = new Set<string>();
  for (let after = 0, looked = 0; looked < MOST_LOOKED_AT; looked += PAGE) {
    const rows = await store.list({ account, state: 'waiting', after, limit: PAGE });
    for (const { problem, body } of rows) {
      const keyId = problem?.code === 'configuration' && body !== undefined ? keyIdOf(body) : undefined;
      if (keyId !== undefined) found.add(keyId);
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    after = last.sequence;
  }
  return [...found].sort();
}
