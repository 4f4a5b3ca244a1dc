import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../support/fake-clock.js';
import { storeContract } from '../../contract/contract.js';
import { expectOddNamesAreUnknown } from '../../odd-names.js';
import { copyOf, damageIn, LIBRARIES, newFile, openStore } from './files.js';

describe.each(Object.entries(LIBRARIES))('the SQLite store over %s', (_, open) => {
  it.each(storeContract.map(({ name, run }) => [name, run] as const))('%s', (__, run) =>
    run(async () => {
      const file = newFile();
      const { withRealTimers: clock, advance } = new FakeClock();
      return {
        store: await openStore(file, { open, clock }),
        advance,
        another: () => openStore(file, { open, clock }),
        reopen: () => openStore(copyOf(file), { open, clock }),
        damage: damageIn(file, open),
      };
    }),
  );

  it.each(storeContract.map(({ name, run }) => [name, run] as const))(
    'over a connection that it is given: %s',
    { tags: 'slow' },
    (__, run) =>
      run(async () => {
        const file = newFile();
        const { withRealTimers: clock, advance } = new FakeClock();
        const database = open(file);
        const { sqliteStore } = await import('../../../../src/entries/outbox-sqlite.js');
        return {
          store: await sqliteStore({ database, clock }),
          advance,
          another: () => openStore(file, { open, clock }),
          reopen: () => openStore(copyOf(file), { open, clock }),
          damage: damageIn(file, open),
          close: () => void database.close(),
        };
      }),
  );

  it('returns nothing for names that no store can hold', async () => {
    const store = await openStore(newFile(), { open });
    await expectOddNamesAreUnknown(store);
    await store.close?.();
  });
});

it('runs over the library that test/drivers names, or over that of this project and what test/drivers has', () => {
  const named = process.env.SQLITE_DRIVER;
  const names = Object.keys(LIBRARIES);
  if (named !== undefined) expect(names.every((name) => name.startsWith(named))).toBe(true);
  else expect(names).toEqual(expect.arrayContaining(['@photostructure/sqlite', '@photostructure/sqlite, attached']));
});
