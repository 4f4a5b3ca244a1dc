// @module-tag slow: needs PostgreSQL.
import { beforeAll, expect, inject, it } from 'vitest';
import { expectFreshBuild } from '../support/built.js';
import { runNode } from '../support/run.js';

beforeAll(expectFreshBuild);

it.each(['pg', 'drizzle'])('a bet and its report commit together in the example for %s', async (name) => {
  const { code, output } = await runNode([`examples/postgres/${name}.js`], { DATABASE_URL: inject('postgresUrl') });
  expect(output).toMatch(
    /the second settlement was rolled back, with its report: (BET-\d+) does not exist, or is settled/,
  );
  expect(output).toMatch(/(BET-\d+) is recorded; the gateway has reportBetEvent, reportSettledBet\n/);
  expect(code).toBe(0);
});
