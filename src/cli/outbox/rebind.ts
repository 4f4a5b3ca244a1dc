import { DEFAULT_ACCOUNT } from '../../outbox/rules/destination.js';
import { printable } from '../../platform/messages.js';
import { readBaseUrl } from '../../protocol/addresses.js';
import { MOCK_GATEWAY } from '../../protocol/mock-mode.js';
import { EXIT, Failure, say } from '../output.js';
import { needed, type OutboxValues } from './options.js';
import type { View } from './view.js';

export async function rebind({ store }: View, values: OutboxValues): Promise<number> {
  const { account = DEFAULT_ACCOUNT, json } = values;
  const environment = needed(values, 'environment');
  const reason = needed(values, 'reason');
  const { baseUrl, problem } = readBaseUrl(needed(values, 'gateway'), environment === 'staging');
  if (baseUrl === undefined) throw new Failure(`--gateway ${problem}`);
  const known = (await store.outlook([account])).find((one) => one.environment === environment);
  if (!known)
    throw new Failure(
      `no report of account ${account} was ever enqueued for ${environment}: there is nothing to change`,
      EXIT.failed,
    );
  const from = known.gateway;
  if (from === MOCK_GATEWAY)
    throw new Failure(
      `the reports of account ${account} in ${environment} are those of a mock gateway (LOCATION_SDK_MOCK), which never go to another one: use another store for real reports`,
      EXIT.failed,
    );
  if (from === baseUrl)
    throw new Failure(
      `the reports of account ${account} in ${environment} already go to ${printable(from)}`,
      EXIT.failed,
    );
  if (!(await store.rebind({ account, environment, from, gateway: baseUrl, reason })))
    throw new Failure(
      'another person changed the gateway at the same time. Nothing was changed now: look at stats, and run the command again if needed',
      EXIT.failed,
    );
  const { states } = await store.counts([account]);
  const waiting = states.waiting + states.blocked + states['in-flight'];
  if (json) say(JSON.stringify({ account, environment, from, gateway: baseUrl, waiting }));
  else
    say(
      `The reports of account ${account} in ${environment} now go to ${baseUrl} (before: ${printable(from)}).\nWaiting reports of this account: ${waiting}. Those of ${environment} are sent to the new address.`,
    );
  return EXIT.done;
}
