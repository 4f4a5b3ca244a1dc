// @module-tag slow: kills processes.
import { it } from 'vitest';
import { newFile, openStore } from '../stores/sqlite/files.js';
import { replaceUntilKilled } from './killed.js';

it('over SQLite, killed processes send nothing that was replaced, and lose no line of the log', {
  timeout: 120_000,
}, async () => {
  const file = newFile();
  const store = await openStore(file);
  await replaceUntilKilled(store, file);
  await store.close?.();
});
