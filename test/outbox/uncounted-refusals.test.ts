import { expect, it } from 'vitest';
import { memoryStore } from '../../src/entries/outbox.js';
import { PAUSE_TRIES } from '../../src/outbox/sending/plan.js';
import { betEvent } from '../support/factories.js';
import { outboxWorld } from './world.js';

it('a refusal that could not be counted for the breaker quarantines nothing: the report is sent again, and uses a fault of the mock once more', async () => {
  let failures = 0;
  let now = () => 0;
  const { pause, ...store } = memoryStore({ now: () => now() });
  const busy: typeof pause = async (change) => {
    // Other refusals are counted first, as often as it is tried.
    failures += 1;
    return failures > PAUSE_TRIES && pause(change);
  };
  const { clock, gateway, outbox, run, sent } = outboxWorld({ store: { ...store, pause: busy } });
  now = clock.now;
  const rule = gateway.faults.add({ kind: 'status', status: 422, times: 2 });
  await run(outbox.reportBetEvent(betEvent({ bet_id: 'BET-1' })));
  await run(outbox.drain());
  expect(gateway.faults.list()).toMatchObject([{ id: rule, struck: 2 }]);
  expect(sent).toHaveLength(2);
  expect(await outbox.stats()).toMatchObject({ states: { quarantined: 1 } });
});
