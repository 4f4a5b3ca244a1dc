import { expect, test } from 'vitest';
import { postgresMigrations } from '../../../../src/outbox/stores/postgres/schema/migration.js';

test('the migration names its schema and its numbers everywhere', () => {
  const sql = postgresMigrations({ schema: 'bets' }).replace('TG_TABLE_NAME', '');

  expect(sql.match(/\bschema\.\w+|\b[A-Z]+_[A-Z_]+\b/g)).toBeNull();
  expect(sql).toContain('CREATE TABLE bets.reports (');
  expect(sql).toContain('AS bigint CHECK (VALUE BETWEEN (-8640000000000000) AND -(-8640000000000000))');
});

test('the migration has nothing that a library could take for a placeholder, also in a comment', () => {
  expect(postgresMigrations()).not.toMatch(/\$\d|\?/);
});
