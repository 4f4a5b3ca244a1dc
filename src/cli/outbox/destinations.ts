import { printable } from '../../core/platform/messages.js';
import { readBaseUrl } from '../../core/protocol/addresses.js';
import { MOCK_GATEWAY } from '../../core/protocol/mock-mode.js';
import { DEFAULT_ACCOUNT, destinationScope, keyOf } from '../../outbox/rules/destination.js';
import { pausesOf } from '../../outbox/store/store.js';
import { EXIT, Failure, remark, say } from '../output.js';
import { needed, type RunCommand } from './options.js';
import { newDecision } from './person.js';
import { learnedRate, placeOf, quarantinedNote } from './text.js';

/** Each account and environment is a decision of its own. */
export const resume: RunCommand = async (
  { store, operator, command },
  { account, environment, operation, reason = '', json },
) => {
  const outlooks = await store.outlook(account === undefined ? undefined : [account]);
  const paused = pausesOf(outlooks).filter(
    (pause) =>
      pause.reason !== undefined &&
      (environment ?? pause.environment) === pause.environment &&
      (operation ?? pause.operation) === pause.operation,
  );
  const slow = outlooks.filter(
    (one) => !operation && (environment ?? one.environment) === one.environment && learnedRate(one) !== undefined,
  );
  const places = new Map(
    [...paused, ...slow].map((one) => [keyOf(one), { ...destinationScope(one), operation }] as const),
  );
  let failed = 0;
  for (const place of places.values()) {
    const { pauses } = await operator.resume(place, newDecision(reason));
    for (const { isResumed, ...pause } of pauses) {
      if (!isResumed) failed += 1;
      if (json) say(JSON.stringify({ ...pause, resumed: isResumed }));
      else
        say(
          `${placeOf(pause)} ${isResumed ? `is no longer paused (it was: ${pause.reason})` : 'was changed meanwhile; look at stats, and run the command again if needed'}`,
        );
    }
    const quarantined = pauses.reduce((sum, pause) => sum + pause.quarantined, 0);
    if (!json && quarantined > 0) remark(quarantinedNote(quarantined, command));
  }
  for (const place of slow.map(destinationScope))
    say(
      json ? JSON.stringify({ ...place, learnedRate: null }) : `${placeOf(place)} forgets the rate that a 429 taught`,
    );
  const what = [environment, operation].filter((name) => name !== undefined).join(', ');
  if (!json && places.size === 0) remark(what ? `${what} is not paused.` : 'No environment is paused.');
  return failed > 0 ? EXIT.failed : EXIT.done;
};

export const rebind: RunCommand = async ({ store }, values) => {
  const { account = DEFAULT_ACCOUNT, json } = values;
  const environment = needed(values, 'environment');
  const reason = needed(values, 'reason');
  const { baseUrl, problem } = readBaseUrl(needed(values, 'gateway'), environment === 'staging');
  if (baseUrl === undefined) throw new Failure(`--gateway ${problem}`);
  const from = (await store.outlook([account])).find((one) => one.environment === environment)?.gateway;
  const reports = `the reports of account ${account} in ${environment}`;
  const refuse = (why: string) => new Failure(why, EXIT.failed);
  if (from === undefined)
    throw refuse(`no report of account ${account} was ever enqueued for ${environment}: there is nothing to change`);
  if (from === MOCK_GATEWAY)
    throw refuse(
      `${reports} are those of a mock gateway (LOCATION_SDK_MOCK), which never go to another one: use another store for real reports`,
    );
  if (from === baseUrl) throw refuse(`${reports} already go to ${printable(from)}`);
  if (!(await store.rebind({ account, environment, from, gateway: baseUrl, reason })))
    throw refuse(
      'another person changed the gateway at the same time. Nothing was changed now: look at stats, and run the command again if needed',
    );
  const { states } = await store.counts([account]);
  const waiting = states.waiting + states.blocked + states['in-flight'];
  if (json) say(JSON.stringify({ account, environment, from, gateway: baseUrl, waiting }));
  else
    say(
      `The reports of account ${account} in ${environment} now go to ${baseUrl} (before: ${printable(from)}).\nWaiting reports of this account: ${waiting}. Those of ${environment} are sent to the new address.`,
    );
  return EXIT.done;
};
