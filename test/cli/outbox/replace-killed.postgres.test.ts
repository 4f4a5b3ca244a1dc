// @module-tag slow: kills processes, and needs PostgreSQL.
import { inject } from 'vitest';
import { newSchema, openStore } from '../../outbox/stores/postgres/world.js';
import { testKilledReplacement } from './replace-killed.js';

testKilledReplacement(async () => {
  const schema = newSchema();
  return { place: inject('postgresUrl'), store: await openStore({ schema }), words: ['--schema', schema] };
});
