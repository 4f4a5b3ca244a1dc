// @module-tag slow: needs PostgreSQL.
import { describe, expect, it } from 'vitest';
import { readWords } from '../../src/cli/args.js';
import { OUTBOX_NOTES } from '../../src/cli/outbox/command.js';
import { OUTBOX_OPTIONS } from '../../src/cli/outbox/options.js';
import { claim, newRow, QUARANTINED, write } from '../outbox/contract/harness.js';
import { newSchema, openStore, pool, within } from '../outbox/stores/postgres/world.js';
import { codeBlocks, commandsOf } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';

const blocks = codeBlocks(readGuides('how-to/scale-out', 'how-to/transactions', 'how-to/retention', 'how-to/move-to-postgres'));

/** A statement of the guide, for a schema of the test. */
function statements(schema: string): string[] {
  const all = blocks.filter(({ language }) => language === 'sql').flatMap(({ code }) => code.split(/;\s*(?:\n|$)/));
  return all.map((one) => one.trim().replaceAll('location_sdk', schema)).filter(Boolean);
}

const statement = (schema: string, part: string): string => {
  const found = statements(schema).find((one) => one.includes(part));
  if (found === undefined) throw new Error(`the guide has no statement with ${part}`);
  return found;
};

describe('the SQL of the guide to many backends', () => {
  it('is accepted by the server, each statement', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-0')]);
    const roles = { backend: `${schema}_backend`, dashboard: `${schema}_dashboard` };
    for (const role of Object.values(roles)) await pool.query(`CREATE ROLE ${role}`);
    const all = statements(schema);
    expect(all.length).toBeGreaterThan(9);
    for (const one of all) await pool.query(one.replace(/ TO (backend|dashboard)$/, (_, role: 'backend' | 'dashboard') => ` TO ${roles[role]}`));

    const stats = statement(schema, 'oldest_open_seconds');
    await within(async (client) => {
      await client.query(`SET LOCAL ROLE ${roles.dashboard}`);
      expect((await client.query(stats)).rows).toHaveLength(1);
      await expect(client.query(`SELECT 1 FROM ${schema}.reports`)).rejects.toMatchObject({ code: '42501' });
    });
  });

  it('lists quarantined reports, and why', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    const [row] = await claim(store, 1);
    if (!row) throw new Error('expected one row to claim');
    await write(store, row, { ...QUARANTINED, problem: { code: 'unprocessable', message: 'refused' } });
    const { rows } = await pool.query(statement(schema, "state = 'quarantined'"));
    expect(rows).toEqual([{ id: row.id, code: 'unprocessable', message: 'refused', in_doubt: false, attempts: 1 }]);
  });
});

it.each(blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf))('%s', (command) => {
  const [, rest = ''] = /^npx location-sdk outbox (.*)$/.exec(command) ?? [];
  const { given } = readWords(OUTBOX_OPTIONS, rest.split(' '), 9);
  expect(OUTBOX_NOTES).toContain(`\n  ${given[1]} `);
});
