// @module-tag slow: needs PostgreSQL.
import { newSchema, openStore, within } from '../stores/postgres/world.js';
import { testSameCall } from './same-call.js';

testSameCall(async () => ({ store: await openStore({ schema: newSchema() }), within }));
