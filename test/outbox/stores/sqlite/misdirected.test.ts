// @module-tag slow: starts processes; accounts.test.ts has the same rules.
import { describe, it } from 'vitest';
import { keepsThemApart, refusesTheSecond } from '../../misdirected/cases.js';
import { newFile } from './files.js';

describe('two licences in two processes over one SQLite file', () => {
  it('without accounts, no report of one arrives at the gateway of the other', { timeout: 60_000 }, () =>
    refusesTheSecond({ file: newFile() }),
  );
  it('with an account each, every report arrives at its own gateway', { timeout: 60_000 }, () =>
    keepsThemApart({ file: newFile() }),
  );
});
