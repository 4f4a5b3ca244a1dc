import { DEFAULT_ACCOUNT } from '../../outbox/destination.js';
import { liftPause } from '../../outbox/pause.js';
import { EXIT, remark, say } from '../output.js';
import type { OutboxValues } from './options.js';
import type { View } from './printable.js';

/** Lifts pauses before their time. */
export async function resume({ store }: View, { account, environment, json }: OutboxValues): Promise<number> {
  let lifted = 0;
  let failed = 0;
  for (const { pause } of await store.outlook(account === undefined ? undefined : [account])) {
    if (pause.reason === undefined || (environment ?? pause.environment) !== pause.environment) continue;
    const done = await store.pause(liftPause(pause));
    if (done) lifted += 1;
    else failed += 1;
    if (json) say(JSON.stringify({ account: pause.account, environment: pause.environment, reason: pause.reason, resumed: done }));
    else
      say(
        `${pause.account === DEFAULT_ACCOUNT ? '' : `${pause.account} `}${pause.environment} ${done ? `is no longer paused (it was: ${pause.reason})` : 'changed meanwhile; look again'}`,
      );
  }
  if (!json && lifted + failed === 0) remark(`${environment ?? 'No environment'} is ${environment ? 'not ' : ''}paused.`);
  return failed > 0 ? EXIT.failed : EXIT.done;
}
