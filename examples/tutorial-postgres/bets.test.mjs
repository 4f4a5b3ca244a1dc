// The operator's test, over PostgreSQL inside the process: `node --test`.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { PGlite } from '@electric-sql/pglite';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import { createBets } from './bets.mjs';

test('a bet whose answer is lost is reported once', async () => {
  const db = new PGlite();
  await db.exec(await readFile('schema.sql', 'utf8'));
  const user = { user_id: 'U-1' };
  await db.query('INSERT INTO players VALUES ($1, $2)', ['U-1', user]);
  const gateway = createMockGateway({ validation: 'partial' });
  gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  const client = createClient(gateway.clientOptions());
  const store = await postgresStore({ database: db });
  const outbox = createOutbox({ client, store, retry: { baseMs: 1 } });

  const bets = createBets({ db, outbox });
  const sent = { key: 'K-1', stake: 1500 };
  const { bet_id } = await bets.place('U-1', sent, '8.8.8.8');
  const again = await bets.place('U-1', sent, '8.8.8.8');
  assert.deepEqual(again, {
    bet_id,
    message: 'Your bet of 1500 was placed before.',
  });
  await bets.settle(bet_id, 0);
  await outbox.drain(); // sends until nothing is left

  const { states } = await outbox.stats();
  assert.deepEqual([states.recorded, states.quarantined], [2, 0]);
  assert.deepEqual(
    gateway.reports().map(({ operation }) => operation),
    ['reportBetEvent', 'reportSettledBet'],
  );
  await outbox.stop();
  await store.close?.();
  await db.close();
});
