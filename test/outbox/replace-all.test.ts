import { describe } from 'vitest';
import { memoryStore } from '../../src/entries/outbox.js';
import { testReplaceAll } from './replace-all.js';
import { newFile, openStore } from './stores/sqlite/files.js';

describe('over a memory store', () => testReplaceAll(async () => memoryStore()));
describe('over SQLite', () => testReplaceAll(() => openStore(newFile())));
