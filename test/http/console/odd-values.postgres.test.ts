// @module-tag slow: needs PostgreSQL.
import { expect, test } from 'vitest';
import { openStore } from '../../outbox/stores/postgres/world.js';
import { failedOddCalls } from './odd-values.js';

test('no odd value of a call is an error of the server, and a decision that is sent again is the same one: in PostgreSQL', async () => {
  expect(await failedOddCalls(await openStore())).toEqual([]);
});
