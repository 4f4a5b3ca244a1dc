// @module-tag slow: needs PostgreSQL.
import { inject, it } from 'vitest';
import { advance, newSchema, openStore, within } from '../stores/postgres/world.js';
import { settleBetweenKills } from './settled-between-kills.js';
import { testSettledLocation } from './settled-location.js';

testSettledLocation(async () => {
  const schema = newSchema();
  return { store: await openStore({ schema }), age: () => advance(schema, 500 * 86_400_000), within };
});

it('a withdrawal is settled with its location between processes that are killed', () =>
  settleBetweenKills(inject('postgresUrl'), newSchema()));
