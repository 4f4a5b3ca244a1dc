// @module-tag slow: needs PostgreSQL.
import { advance, newSchema, openStore, within } from '../stores/postgres/world.js';
import { testSettledLocation } from './settled-location.js';

testSettledLocation(async () => {
  const schema = newSchema();
  return { store: await openStore({ schema }), age: () => advance(schema, 500 * 86_400_000), within };
});
