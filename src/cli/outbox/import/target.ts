import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Client } from '../../../client/client.js';
import { createClient } from '../../../client/create-client.js';
import { type ClientInternals, internalsOf } from '../../../client/internals.js';
import type { Environment } from '../../../errors/errors.js';
import { isConfigurationError } from '../../../errors/guards.js';
import { DEFAULT_ACCOUNT, otherGateway } from '../../../outbox/destination.js';
import { keyIdOfFingerprint, makeStandardSeal } from '../../../outbox/seal/standard-seal.js';
import { readOutboxSettings } from '../../../outbox/settings.js';
import type { OutboxSettings } from '../../../outbox/settings-shape.js';
import type { OutboxStore } from '../../../outbox/store.js';
import { sqliteStore } from '../../../outbox/stores/sqlite/store.js';
import { asRecord } from '../../../platform/as-record.js';
import { systemClock } from '../../../platform/time.js';
import type { ValidationMode } from '../../../schema/model.js';
import { readOptionsModule } from '../../check/options-file.js';
import { Failure, remark } from '../../output.js';
import { library, openOutboxFile } from '../open.js';
import type { OutboxValues } from '../options.js';
import { isAddress, openOutboxServer } from '../server.js';

/** The owner of the reports in a file, and the client that checks them. */
export interface Importer {
  readonly account: string;
  readonly environment: Environment;
  readonly gateway: string;
  readonly client: Client<'strict'>;
  readonly internals: ClientInternals;
  readonly mode: ValidationMode;
  /** The options of the outbox, such as its encryption. */
  readonly outbox: object;
}

const OPTIONS_MS = 60_000;

/** An import sends nothing, so it needs no key. */
const noKey = () => Promise.reject(new Error('An import sends nothing.'));

/** Creates the operator's client from `--options` and the environment variables. */
export async function readImporter({ account = DEFAULT_ACCOUNT, environment: given, options: file }: OutboxValues): Promise<Importer> {
  const { client: options, outbox } = await readOptionsModule(file, { clock: systemClock, milliseconds: OPTIONS_MS });
  const environment = given ?? options.environment ?? 'staging';
  const { staging, production } = options.gateways ?? {};
  const gateways = { staging: { ...staging, apiKey: noKey }, production: { ...production, apiKey: noKey } };
  const logger = { debug: () => undefined, info: () => undefined, warn: remark, error: remark };
  const client = configured(() => createClient({ ...options, environment, gateways, logger, onEvent: undefined }));
  const internals = internalsOf(client);
  const gateway = internals?.gateways[environment];
  if (!internals || gateway === undefined)
    throw new Failure(
      `the ${environment} gateway is not set up: set LOCATION_SDK_${environment.toUpperCase()}_BASE_URL, or give --options. An import sends nothing, but the outbox stores the gateway of its reports`,
    );
  return { account, environment, gateway, client, internals, mode: options.validation ?? 'strict', outbox: { ...asRecord(outbox) } };
}

/** Opens the outbox that the command line names. Undefined for a file that does not exist yet. */
export async function openStore(place: string, schema: string): Promise<OutboxStore | undefined> {
  if (isAddress(place)) return openOutboxServer(place, schema);
  if (!/:\/\/|password=/i.test(place) && !statSync(place, { throwIfNoEntry: false })) {
    if (!statSync(dirname(resolve(place)), { throwIfNoEntry: false })?.isDirectory())
      throw new Failure(`there is no folder ${dirname(place)} for a new outbox`);
    return undefined;
  }
  return openOutboxFile(place);
}

/** Creates the SQLite file of a new outbox. */
export const makeStore = async (file: string): Promise<OutboxStore> => sqliteStore({ file, open: await library() });

/** The settings of an outbox over this store. Fails if its reports go to another gateway, or if they are encrypted and the new ones would not be. */
export async function enter(store: OutboxStore, { account, environment, gateway, client, internals, outbox }: Importer): Promise<OutboxSettings> {
  const settings = configured(() => readOutboxSettings({ ...outbox, client, store, account }, makeStandardSeal));
  const bound = (await store.outlook([account])).find((one) => one.environment === environment)?.gateway;
  if (bound !== undefined && bound !== gateway) throw new Failure(otherGateway({ account, environment, gateway }, bound, internals.mockMode).message);
  if (!('encryption' in outbox || 'seal' in outbox) && (await isEncrypted(store, account)))
    throw new Failure(
      'the reports of this outbox are encrypted. Nothing was enqueued. Give --options a file that exports the options of this outbox as outbox, such as { encryption }',
    );
  return settings;
}

/** Whether the oldest report in any state was sealed with a key. */
async function isEncrypted(store: OutboxStore, account: string): Promise<boolean> {
  for (const state of ['waiting', 'quarantined', 'recorded'] as const)
    for (const { fingerprint } of await store.list({ account, state, limit: 1 })) if (keyIdOfFingerprint(fingerprint) !== undefined) return true;
  return false;
}

function configured<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (isConfigurationError(error)) throw new Failure(error.message);
    throw error;
  }
}
