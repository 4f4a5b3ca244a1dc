import { it } from 'vitest';
import { systemClock } from '../../../src/core/platform/time.js';
import { type SharedClock, sameRules } from './same-rules.js';
import { newFile, openStore } from './sqlite/files.js';

it('a SQLite file answers as the rules in TypeScript, over random rows', async () => {
  const clock: SharedClock = { now: 1_795_161_600_000 };
  const store = await openStore(newFile(), { clock: { ...systemClock, now: () => clock.now } });
  await sameRules(store, clock, { numRuns: 30 });
  await store.close?.();
});
