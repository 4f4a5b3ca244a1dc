import { describe } from 'vitest';
import { memoryStore } from '../../../src/entries/outbox.js';
import { sqliteStore } from '../../../src/entries/outbox-sqlite.js';
import { newFile, openSqlite } from '../stores/sqlite/files.js';
import { testSameCall } from './same-call.js';

describe('over a memory store', () => testSameCall(async () => ({ store: memoryStore() })));

describe('over SQLite', () =>
  testSameCall(async () => {
    const file = newFile();
    return {
      store: await sqliteStore({ file, open: openSqlite }),
      async within(work) {
        const own = openSqlite(file);
        own.exec('PRAGMA synchronous = FULL; BEGIN');
        const result = await work(own);
        own.exec('COMMIT');
        own.close();
        return result;
      },
    };
  }));
