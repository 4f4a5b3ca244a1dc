// A process that reports, and is asked to end. Its tests are in stop-on-signals.test.ts.
import { createClient } from 'location-sdk';
import { stopOnSignals } from 'location-sdk/node';
import { createOutbox, memoryStore } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const [, , file = '', given = '{}'] = process.argv;
const { hangs, beside, tells, together, stopTimeoutMs, ...options } = JSON.parse(given);
const outbox = createOutbox({
  client: createClient({ logger: {} }),
  store: await sqliteStore({ file }),
  stopTimeoutMs,
});
/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);
const never = () => new Promise(() => {});

// Another one without reports, so that it ends first.
const idle = createOutbox({ client: createClient({ logger: {} }), store: memoryStore() });
idle.start();
/** Prints its limit. @type {Pick<import('location-sdk/outbox').Outbox, 'stop'>} */
const telling = {
  stop(limits) {
    say(`stop within ${limits?.timeoutMs}`);
    return outbox.stop(limits);
  },
};
stopOnSignals(together ? [idle, outbox] : tells ? telling : outbox, {
  ...options,
  beforeStop: () => (hangs === 'beforeStop' ? never() : say('before')),
  afterStop: () =>
    hangs === 'afterStop'
      ? Promise.reject(Object.assign(new Error('the pool'), { code: '23505', detail: 'Key (nin)=(99012345678)' }))
      : say('after'),
});
if (beside)
  try {
    stopOnSignals(idle);
  } catch (error) {
    say(String(error));
  }
outbox.on('recorded', ({ reference }) => say(`recorded ${reference}`));
outbox.start();
const user = {
  user_id: 'U-1',
  first_name: 'A',
  last_name: 'B',
  resident_address: 'C',
  resident_lga: 'D',
  resident_state: 'E',
  is_resident: true,
};
await outbox.reportBetEvent({ bet_id: 'BET-1', amount: 5, user: { ...user, nin: '99012345678', tax_id: 'T-1' } });
// Keeps the process running like a server.
setInterval(() => {}, 1_000);
