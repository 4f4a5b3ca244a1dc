import { DEFAULT_ACCOUNT, partsOf } from '../../outbox/destination.js';
import { liftPause } from '../../outbox/pause.js';
import { EXIT, remark, say } from '../output.js';
import type { OutboxValues } from './options.js';
import type { View } from './printable.js';

/** Lifts pauses before their time. */
export async function resume({ store }: View, { account, environment, json }: OutboxValues): Promise<number> {
  let lifted = 0;
  let failed = 0;
  for (const { pause } of await store.outlook(account === undefined ? undefined : [account])) {
    const { environment: paused, operation } = partsOf(pause);
    if (pause.reason === undefined || (environment ?? paused) !== paused) continue;
    const done = await store.pause(liftPause(pause));
    if (done) lifted += 1;
    else failed += 1;
    if (json) say(JSON.stringify({ account: pause.account, environment: paused, operation, reason: pause.reason, resumed: done }));
    else
      say(
        `${pause.account === DEFAULT_ACCOUNT ? '' : `${pause.account} `}${paused}${operation ? `, ${operation},` : ''} ${done ? `is no longer paused (it was: ${pause.reason})` : 'changed meanwhile; look again'}`,
      );
  }
  if (!json && lifted + failed === 0) remark(`${environment ?? 'No environment'} is ${environment ? 'not ' : ''}paused.`);
  return failed > 0 ? EXIT.failed : EXIT.done;
}
