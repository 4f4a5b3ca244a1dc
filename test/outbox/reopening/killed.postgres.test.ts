// @module-tag slow: kills processes.
import { inject, it } from 'vitest';
import { newSchema, openStore } from '../stores/postgres/world.js';
import { replaceUntilKilled } from './killed.js';

it('over PostgreSQL, killed processes send nothing that was replaced, and lose no line of the log', {
  timeout: 120_000,
}, async () => {
  const schema = newSchema();
  const store = await openStore({ schema });
  await replaceUntilKilled(store, inject('postgresUrl'), schema);
  await store.close?.();
});
