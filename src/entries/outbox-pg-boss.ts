/** Wake-up through pg-boss: `location-sdk/outbox/pg-boss`. @module */
export type { PgBossLike, PgBossStoreOptions, WakeUpJob } from '../outbox/stores/pg-boss/options.js';
export { pgBossStore } from '../outbox/stores/pg-boss/store.js';
