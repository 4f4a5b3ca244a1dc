// @module-tag slow: needs PostgreSQL.
import { describe, inject, it } from 'vitest';
import { keepsThemApart, refusesTheSecond } from '../../misdirected/cases.js';
import { newSchema } from './world.js';

const place = () => ({ url: inject('postgresUrl'), schema: newSchema() });

describe('two licences in two processes over one schema of PostgreSQL', () => {
  it('without accounts, no report of one arrives at the gateway of the other', { timeout: 60_000 }, () =>
    refusesTheSecond(place()),
  );
  it('with an account each, every report arrives at its own gateway', { timeout: 60_000 }, () =>
    keepsThemApart(place()),
  );
});
