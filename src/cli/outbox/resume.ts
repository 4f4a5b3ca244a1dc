import { DEFAULT_ACCOUNT, partsOf } from '../../outbox/destination.js';
import { liftPause } from '../../outbox/pause.js';
import { EXIT, remark, say } from '../output.js';
import type { OutboxValues } from './options.js';
import type { View } from './printable.js';

/** Ends pauses early. */
export async function resume({ store }: View, { account, environment, operation, json }: OutboxValues): Promise<number> {
  let lifted = 0;
  let failed = 0;
  for (const { pause } of await store.outlook(account === undefined ? undefined : [account])) {
    const { environment: paused, operation: ofBreaker } = partsOf(pause);
    if (pause.reason === undefined || (environment ?? paused) !== paused || (operation ?? ofBreaker) !== ofBreaker) continue;
    const done = await store.pause(liftPause(pause));
    if (done) lifted += 1;
    else failed += 1;
    if (json) say(JSON.stringify({ account: pause.account, environment: paused, operation: ofBreaker, reason: pause.reason, resumed: done }));
    else
      say(
        `${pause.account === DEFAULT_ACCOUNT ? '' : `${pause.account} `}${paused}${ofBreaker ? `, ${ofBreaker},` : ''} ${done ? `is no longer paused (it was: ${pause.reason})` : 'was changed meanwhile; look at stats, and run the command again if needed'}`,
      );
  }
  const what = [environment, operation].filter((name) => name !== undefined).join(', ');
  if (!json && lifted + failed === 0) remark(what ? `${what} is not paused.` : 'No environment is paused.');
  return failed > 0 ? EXIT.failed : EXIT.done;
}
