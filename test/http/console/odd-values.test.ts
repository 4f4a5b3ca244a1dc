import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { sqliteStore } from '../../../src/entries/outbox-sqlite.js';
import { failedOddCalls } from './odd-values.js';

test('no odd value of a call is an error of the server, and a decision that is sent again is the same one: in a SQLite file', async () => {
  const store = await sqliteStore({ file: join(inject('runFolder'), 'odd-values.db') });
  expect(await failedOddCalls(store)).toEqual([]);
  await store.close?.();
});
