import { createClient } from '../../core/client/create-client.js';
import { NOT_IN_MOCK_MODE } from '../../core/client/environment-variables.js';
import { internalsOf } from '../../core/client/internals.js';
import { asRecord } from '../../core/platform/as-record.js';
import { createOutboxEvents } from '../../outbox/events.js';
import { createIntake, type Intake } from '../../outbox/intake/enqueue.js';
import { adviceFor } from '../../outbox/rules/advice.js';
import { DEFAULT_ACCOUNT, otherGateway } from '../../outbox/rules/destination.js';
import type { Row } from '../../outbox/rules/state-machine.js';
import { createExcerpts } from '../../outbox/seal/excerpt.js';
import { keyIdOfFingerprint, makeStandardSeal } from '../../outbox/seal/standard-seal.js';
import { type OutboxSettings, readOutboxSettings } from '../../outbox/settings.js';
import type { OutboxStore } from '../../outbox/store/store.js';
import { readOptionsModule } from '../check/options-file.js';
import { Failure, remark } from '../output.js';
import type { OutboxValues } from './options.js';

export type Owner = Awaited<ReturnType<typeof readOwner>>;

const noKey = () => Promise.reject(new Error('The command sends nothing.'));

/** The owner of new data, from `--options` and the environment variables, and the client that checks it. */
export async function readOwner({ account = DEFAULT_ACCOUNT, environment: given, options: file }: OutboxValues) {
  const { client: options, outbox } = await readOptionsModule(file);
  const { staging, production } = options.gateways ?? {};
  const gateways = { staging: { ...staging, apiKey: noKey }, production: { ...production, apiKey: noKey } };
  const logger = { debug: () => undefined, info: () => undefined, warn: remark, error: remark };
  const client = createClient({
    ...options,
    environment: given ?? options.environment,
    gateways,
    logger,
    onEvent: undefined,
  });
  const internals = internalsOf(client);
  const environment = internals?.environment ?? 'staging';
  const gateway = internals?.gateways[environment];
  if (!internals || gateway === undefined)
    throw new Failure(
      internals?.mockMode
        ? NOT_IN_MOCK_MODE
        : `the ${environment} gateway is not set up: set LOCATION_SDK_${environment.toUpperCase()}_BASE_URL, or give --options. The command sends nothing, but the outbox knows the gateway of its reports`,
    );
  return {
    account,
    environment,
    gateway,
    client,
    internals,
    mode: options.validation ?? 'strict',
    outbox: { ...asRecord(outbox) },
  };
}

/**
 * Fails if the reports of the store go to another gateway, or if they are encrypted and the new ones would not be.
 * `rows` are looked at, too.
 */
export async function settingsFor(
  store: OutboxStore,
  { account, environment, gateway, client, outbox }: Owner,
  rows: readonly Row[] = [],
): Promise<OutboxSettings> {
  const settings = readOutboxSettings({ ...outbox, client, store, account }, makeStandardSeal);
  const bound = (await store.outlook([account])).find((one) => one.environment === environment)?.gateway;
  // In mock mode the store knows the mock gateway by a name, with any address.
  const wanted = settings.accounts.find((one) => one.account === account)?.gateways[environment] ?? gateway;
  if (bound !== undefined && bound !== wanted)
    throw new Failure(otherGateway({ account, environment, gateway: wanted }, bound).message);
  const isNeeded = rows.some(isSealed) || (await isEncrypted(store, account));
  if (isNeeded && !('encryption' in outbox))
    throw new Failure(
      'the reports of this outbox are encrypted. Nothing was changed. Give --options a file that exports the options of this outbox as outbox, such as { encryption }',
    );
  return settings;
}

/** The newest report of an account is looked for among this number of reports of all accounts. */
const LOOK = 10_000;

/** Whether the newest report, or the oldest one in any state, was sealed: encryption may have begun later. */
async function isEncrypted(store: OutboxStore, account: string): Promise<boolean> {
  const newest = { account, before: Number.MAX_SAFE_INTEGER, limit: 1, look: LOOK };
  if ((await store.operator?.search(newest))?.rows.some(isSealed)) return true;
  for (const state of ['waiting', 'quarantined', 'recorded'] as const)
    if ((await store.list({ account, state, limit: 1 })).some(isSealed)) return true;
  return false;
}

/** Whether a report was sealed with a key of the user. */
const isSealed = ({ fingerprint }: Pick<Row, 'fingerprint'>): boolean => keyIdOfFingerprint(fingerprint) !== undefined;

export function intakeOf(settings: OutboxSettings): Intake {
  const [own] = settings.accounts;
  if (!own) throw new Error('The outbox has no account.');
  return createIntake(settings, own, createOutboxEvents(), createExcerpts(settings), adviceFor);
}
