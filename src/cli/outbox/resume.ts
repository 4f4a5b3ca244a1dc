import { DEFAULT_ACCOUNT, keyOf, wholeOf } from '../../outbox/rules/destination.js';
import { pausesOf } from '../../outbox/store/store.js';
import { EXIT, remark, say } from '../output.js';
import type { OutboxValues } from './options.js';
import { newDecision, type View } from './view.js';

/** Ends pauses early. Each account and environment is a decision of its own. */
export async function resume(
  { store, operator }: View,
  { account, environment, operation, reason = '', json }: OutboxValues,
): Promise<number> {
  const outlooks = await store.outlook(account === undefined ? undefined : [account]);
  const paused = pausesOf(outlooks).filter(
    (pause) =>
      pause.reason !== undefined &&
      (environment ?? pause.environment) === pause.environment &&
      (operation ?? pause.operation) === pause.operation,
  );
  const places = new Map(paused.map((pause) => [keyOf(pause), { ...wholeOf(pause), operation }]));
  let failed = 0;
  for (const place of places.values()) {
    const { pauses } = await operator.resume(place, newDecision(reason));
    for (const { isResumed, ...pause } of pauses) {
      if (!isResumed) failed += 1;
      if (json) say(JSON.stringify({ ...pause, resumed: isResumed }));
      else
        say(
          `${pause.account === DEFAULT_ACCOUNT ? '' : `${pause.account} `}${pause.environment}${pause.operation ? `, ${pause.operation},` : ''} ${isResumed ? `is no longer paused (it was: ${pause.reason})` : 'was changed meanwhile; look at stats, and run the command again if needed'}`,
        );
    }
  }
  const what = [environment, operation].filter((name) => name !== undefined).join(', ');
  if (!json && places.size === 0) remark(what ? `${what} is not paused.` : 'No environment is paused.');
  return failed > 0 ? EXIT.failed : EXIT.done;
}
