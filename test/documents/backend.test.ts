import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { transform } from 'esbuild';
import { expect, it } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, type Outbox } from '../../src/entries/outbox.js';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { betEvent } from '../support/factories.js';
import { newFolder } from '../support/new-folder.js';

interface Copied {
  readonly database: InstanceType<typeof DatabaseSync>;
  readonly outbox: Outbox;
  readonly place: (bet: object, location: object) => Promise<void>;
}

/** Runs the code of the guide as it is copied, with the file, the library and the gateway of the test. */
async function copied(file: string): Promise<Copied> {
  const [block] = codeBlocks(readGuides('start/backend')).filter(({ code }) => code.includes('BEGIN IMMEDIATE'));
  const given = { DatabaseSync, createClient: () => createClient(createMockGateway().clientOptions()) };
  const parts = { ...given, createOutbox, sqliteStore };
  const text = (block?.code ?? '').replace(/^import .*$/gm, '').replace(/^export /gm, '');
  const { code } = await transform(text.replace(/'[^']*bets\.db'/, JSON.stringify(file)), { loader: 'ts' });
  const AsyncFunction = (async () => {}).constructor as new (...words: string[]) => (...values: unknown[]) => unknown;
  const run = new AsyncFunction(...Object.keys(parts), `${code}; return { database, outbox, place };`);
  return (await run(...Object.values(parts))) as Copied;
}

it('ten bets at once commit with their reports, or not at all', async () => {
  const file = join(newFolder('backend'), 'bets.db');
  const own = new DatabaseSync(file);
  own.exec("CREATE TABLE bets (id TEXT PRIMARY KEY); INSERT INTO bets (id) VALUES ('B-3')");
  own.close();
  const { database, outbox, place } = await copied(file);
  const location = { latitude: 6.44, longitude: 7.49, source: 'gps' };
  const bets = Array.from({ length: 10 }, (_, index) => `B-${index}`);
  const placed = await Promise.allSettled(bets.map((bet_id) => place(betEvent({ bet_id }), location)));
  const refused = bets.filter((_, index) => placed[index]?.status === 'rejected');
  expect(refused).toEqual(['B-3']);
  await outbox.drain();
  const stored = database.prepare('SELECT id FROM bets ORDER BY id').all() as { id: string }[];
  expect(stored.map(({ id }) => id)).toEqual(bets);
  const receipts = bets.map((bet_id) => outbox.receipt({ operation: 'reportBetEvent', reference: bet_id }));
  expect((await Promise.all(receipts)).filter((receipt) => receipt?.outcome === 'recorded')).toHaveLength(9);
  await outbox.stop();
  database.close();
});
