import { describe } from 'vitest';
import { memoryStore } from '../../../src/entries/outbox.js';
import { sqliteStore } from '../../../src/entries/outbox-sqlite.js';
import { newFile, openSqlite } from '../stores/sqlite/files.js';
import { testRelayRepeats } from './relay-repeats.js';

describe('over a memory store', () =>
  testRelayRepeats(async () => {
    const store = memoryStore();
    return { open: async () => store };
  }));

describe('over SQLite', () =>
  testRelayRepeats(async () => {
    const file = newFile();
    return { open: () => sqliteStore({ file, open: openSqlite }) };
  }));
