import {
  ConfigurationError,
  ENVIRONMENTS,
  type ErrorCode,
  makeError,
  type ReportingError,
} from '../../core/errors/errors.js';
import type { PauseReason } from '../rules/destination.js';
import type { OutboxSettings } from '../settings.js';
import { unservedReason } from './watch-destinations.js';

/** The error of each pause: its code is that of the attempts which began it. */
const CODES: Readonly<Record<PauseReason, ErrorCode>> = {
  authentication: 'authentication',
  address: 'configuration',
  configuration: 'configuration',
  'rate-limited': 'rate-limited',
  unavailable: 'gateway',
  unreachable: 'network',
  refusals: 'unprocessable',
};

const ADVICE =
  'The reports wait in the outbox. Correct the cause, and call drain again; drain({ timeoutMs }) waits that long for the end of a pause.';

/**
 * The reason why waiting reports cannot leave: the pause of their environment, an environment to which this outbox
 * sends nothing, or a missing encryption key. Undefined if there is none.
 */
export async function standstillOf({
  store,
  accounts,
}: Pick<OutboxSettings, 'store' | 'accounts'>): Promise<ReportingError | undefined> {
  const served = accounts.map(({ account }) => account);
  for (const outlook of await store.outlook(served)) {
    const unserved = unservedReason(outlook, accounts);
    if (unserved !== undefined) return new ConfigurationError(`drain: ${unserved} ${ADVICE}`, { outcome: 'unknown' });
    const { account, environment, pause, nextInMs } = outlook;
    const { reason, message = '' } = pause;
    if (reason === undefined || nextInMs === undefined) continue;
    return makeError(
      CODES[reason],
      `drain: sending to ${environment} (account ${account}) is paused (${reason}). ${message} ${ADVICE}`,
      // Among several reports one may be in doubt.
      { environment: ENVIRONMENTS.find((one) => one === environment), outcome: 'unknown', retryable: true },
    );
  }
  const [key] = await store.missingKeys(served);
  if (key === undefined) return undefined;
  return new ConfigurationError(`drain: the encryption key ${key} is missing. ${ADVICE}`, { outcome: 'unknown' });
}
