import { it } from 'vitest';
import { FakeClock } from '../../support/fake-clock.js';
import { sameRules } from './same-rules.js';
import { newFile, openStore } from './sqlite/files.js';

it('a SQLite file answers as the rules in TypeScript, over random rows', async () => {
  const clock = new FakeClock();
  const store = await openStore(newFile(), { clock: clock.withRealTimers });
  await sameRules(store, clock, { numRuns: 30 });
  await store.close?.();
});
