// @module-tag slow: needs PostgreSQL.
import { newSchema, openStore } from '../stores/postgres/world.js';
import { testRelayRepeats } from './relay-repeats.js';

testRelayRepeats(async () => {
  const schema = newSchema();
  return { open: () => openStore({ schema }) };
});
