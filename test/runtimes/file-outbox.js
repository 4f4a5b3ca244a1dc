// An outbox in a SQLite file that a later process opens again, with the SQLite of the runtime itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { betUser } from './players.js';

/** Accepts a report, closes the file, opens it twice and sends the report. Throws if it does not arrive once. */
export async function tryFileOutbox() {
  const folder = mkdtempSync(join(tmpdir(), 'location-sdk-runtime-'));
  const file = join(folder, 'outbox.db');
  const gateway = createMockGateway();
  const client = createClient({ ...gateway.clientOptions(), logger: {} });
  const first = await sqliteStore({ file });
  await createOutbox({ client, store: first }).reportBetEvent({ bet_id: 'BET-1', amount: 1500, user: betUser });
  await first.close?.();
  const [store, other] = [await sqliteStore({ file }), await sqliteStore({ file })];
  const { drained } = await createOutbox({ client, store }).drain({ timeoutMs: 10_000 });
  const { states } = await other.counts();
  for (const one of [store, other]) await one.close?.();
  rmSync(folder, { recursive: true });
  const { length } = gateway.requests();
  if (!drained || states.recorded !== 1 || length !== 1)
    throw new Error(`drained ${drained}, ${states.recorded} recorded, ${length} requests: expected true, 1 and 1`);
}
