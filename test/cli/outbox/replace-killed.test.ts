// @module-tag slow: kills processes.
import { newFile, openStore } from '../../outbox/stores/sqlite/files.js';
import { testKilledReplacement } from './replace-killed.js';

testKilledReplacement(async () => {
  const place = newFile();
  return { place, store: await openStore(place), words: [] };
});
