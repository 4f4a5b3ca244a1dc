// @module-tag slow: needs PostgreSQL.
import { testReplaceAll } from './replace-all.js';
import { openStore } from './stores/postgres/world.js';

testReplaceAll(() => openStore());
