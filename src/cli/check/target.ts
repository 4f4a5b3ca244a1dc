import { createClient } from '../../client/create-client.js';
import { environmentVariables } from '../../client/environment-variables.js';
import { resolveGateways } from '../../client/gateway-options.js';
import { optionTable } from '../../client/option-table.js';
import type { ClientOptions } from '../../client/options.js';
import { moduleTransport } from '../../delivery/ky-transport.js';
import type { Environment } from '../../errors/errors.js';
import { isReportingError } from '../../errors/guards.js';
import { complete } from '../../schema/option-rules.js';
import { createRecorder, type Recorder } from './exchange.js';
import type { Status, Target } from './run.js';

const SECTION = 'Settings';
const STRICT = 'NODE_TLS_REJECT_UNAUTHORIZED';

const SET_UP = 'set the variables, or give a file with client options: --options options.mjs';
/** Only for staging: the variable sends only staging to a mock gateway. */
const TRY = '. To try this command: npx location-sdk mock, and LOCATION_SDK_MOCK=http://127.0.0.1:4010';

const SHARED = 'staging and production have the same address, so tests would be recorded as real reports, or real reports as tests';

type Tell = (section: string, status: Status, name: string, text: string, advice?: string) => void;

/** Silent, since the lines of the check contain the client's warnings. */
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Sets up the tested environment as the operator's own client does. Undefined if that fails. */
export function readTarget(given: ClientOptions, environment: Environment, tell: Tell): (Target & { recorder: Recorder }) | undefined {
  if (process.env[STRICT] === '0') {
    tell(SECTION, 'fail', STRICT, 'is 0, so no certificate is checked and others can read the key on its way', 'remove it from the environment');
    return undefined;
  }
  const recorder = createRecorder(given.transport ?? moduleTransport(given.fetch, false));
  // One attempt for each request, so that every answer is recorded, and no earlier attempt leaves a request in doubt.
  const own = { retry: { limit: 0 }, transport: recorder.transport, logger: QUIET, location: undefined, onEvent: undefined };
  const options: ClientOptions = { ...given, environment, ...own };
  try {
    const client = createClient(options);
    const completed = complete(optionTable, options);
    const { gateways } = resolveGateways({ given: completed, inPage: false, problems: [] }, environmentVariables);
    const gateway = gateways[environment];
    if (typeof gateway === 'string') {
      tell(SECTION, 'fail', 'options', gateway, environment === 'staging' ? `${SET_UP}${TRY}` : SET_UP);
      return undefined;
    }
    const other = gateways[environment === 'staging' ? 'production' : 'staging'];
    tellSettings(given, environment, gateway.baseUrl, tell);
    const sharedAddress = typeof other !== 'string' && placeOf(other.baseUrl) === placeOf(gateway.baseUrl);
    // In staging, `runChecks` reports this later, and sends no made-up reports.
    if (sharedAddress && environment === 'production') tell(SECTION, 'fail', 'two addresses', SHARED, 'give each its own base address');
    return {
      environment,
      gateway,
      client,
      headers: completed.headers === undefined ? [] : [completed.headers],
      requestMs: completed.attemptTimeoutMs,
      ownFetch: given.fetch !== undefined || given.transport !== undefined,
      sharedAddress,
      recorder,
    };
  } catch (error) {
    if (!isReportingError(error)) throw error;
    tell(SECTION, 'fail', 'options', error.message.replace(/\s*\n\s*/g, ' '));
    return undefined;
  }
}

/** An address in one spelling, also for the names of this machine. Only the gateway's answers can show that two other names are one server. */
function placeOf(baseUrl: string): string {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const host = hostname.replace(/\.$/, '');
  return [protocol, ['localhost', '127.0.0.1', '[::1]'].includes(host) ? 'localhost' : host, port, pathname].join(' ');
}

function tellSettings({ gateways }: ClientOptions, environment: Environment, baseUrl: string, tell: Tell): void {
  if (environment === 'staging' && process.env.LOCATION_SDK_MOCK) {
    tell(SECTION, 'warn', 'mock mode', `LOCATION_SDK_MOCK leads to ${baseUrl}`, 'this tests a mock gateway, not the real one');
    return;
  }
  const from = (option: 'baseUrl' | 'apiKey') => (gateways?.[environment]?.[option] === undefined ? 'from the environment variable' : 'from --options');
  tell(SECTION, 'ok', 'base address', `${baseUrl} (${from('baseUrl')})`);
  tell(SECTION, 'ok', 'API key', `is set (${from('apiKey')})`);
}
