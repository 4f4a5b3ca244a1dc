import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/entries/outbox.js';
import { sqliteStore } from '../../../src/entries/outbox-sqlite.js';
import { withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { newFile, openSqlite } from '../stores/sqlite/files.js';
import { settleBetweenKills } from './settled-between-kills.js';
import { ENUGU, processes, testSettledLocation } from './settled-location.js';

describe('over SQLite', () => {
  testSettledLocation(async () => {
    const file = newFile();
    const store = await sqliteStore({ file, open: openSqlite });
    return {
      store,
      age: async () => {
        const own = openSqlite(file);
        own.exec(
          'UPDATE outbox_rows SET enqueued_at = enqueued_at - 43200000000, changed_at = changed_at - 43200000000',
        );
        own.close();
      },
      async within(work) {
        const own = openSqlite(file);
        own.exec('PRAGMA synchronous = FULL; BEGIN');
        const result = await work(own);
        own.exec('COMMIT');
        own.close();
        return result;
      },
    };
  });

  it('a withdrawal is settled with its location between processes that are killed', { tags: 'slow' }, () =>
    settleBetweenKills(newFile()),
  );
});

describe('over a memory store', () => {
  it('a settlement gets the location, and a wrong name of a receipt is refused without its values', async () => {
    const { gateway, make } = processes(memoryStore());
    const outbox = make({ keepBodies: true });
    await outbox.reportWithdrawalEvent(withdrawalEvent({ request_id: 'W-1' }), { location: ENUGU });
    await outbox.drain();
    expect(gateway.reports()).toHaveLength(1);
    expect(await outbox.receipt({ operation: 'reportWithdrawalEvent', reference: 'W-1' })).toMatchObject({
      outcome: 'recorded',
      location: ENUGU,
    });
    const wrong = { operation: 'reportWithdrawl', reference: 'U-88412' };
    // @ts-expect-error: not an operation.
    const error = await failureOf(outbox.receipt(wrong));
    expect(error).toMatchObject({ name: 'ValidationError', issues: [{ path: 'operation' }] });
    expect(error.message).not.toMatch(/U-88412|second argument/);
  });
});
