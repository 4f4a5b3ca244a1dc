import { describe, it } from 'vitest';
import { storeContract } from '../../contract/contract.js';
import { expectOddNamesAreUnknown } from '../../odd-names.js';
import { advance, damageIn, newSchema, openStore } from './world.js';

describe('the PostgreSQL store', () => {
  for (const [index, { name, run }] of storeContract.entries()) {
    it(name, { tags: index % 20 === 0 ? 'slice' : 'slow' }, () =>
      run(async () => {
        const schema = newSchema();
        const open = () => openStore({ schema });
        return {
          store: await open(),
          advance: (milliseconds) => advance(schema, milliseconds),
          another: open,
          reopen: open,
          damage: damageIn(schema),
        };
      }),
    );
  }

  it('returns nothing for names that no store can hold', async () => expectOddNamesAreUnknown(await openStore()));
});
