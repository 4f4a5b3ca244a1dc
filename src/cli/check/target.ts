import { createClient } from '../../client/create-client.js';
import { environmentVariables } from '../../client/environment-variables.js';
import { resolveGateways } from '../../client/gateway-options.js';
import { optionTable } from '../../client/option-table.js';
import type { ClientOptions } from '../../client/options.js';
import { moduleTransport } from '../../delivery/ky-transport.js';
import type { Environment } from '../../errors/errors.js';
import { isReportingError } from '../../errors/guards.js';
import { complete } from '../../schema/option-table.js';
import { createRecorder, type Recorder } from './exchange.js';
import type { Status, Target } from './run.js';

const SECTION = 'Settings';
const STRICT = 'NODE_TLS_REJECT_UNAUTHORIZED';

const SET_UP = 'set the variables, or give a file with client options: --options options.mjs';
/** For staging alone, which alone the variable leads to a mock gateway. */
const TRY = '. To try this command: npx location-sdk mock, and LOCATION_SDK_MOCK=http://127.0.0.1:4010';

const SHARED = 'staging and production have the same address, so what you test would be recorded as real reports, or real ones as tests';

type Tell = (section: string, status: Status, name: string, text: string, advice?: string) => void;

/** Silent: what a client would warn of is told as a line. */
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** What is to be tested, as the operator's own client would be set up; undefined where it cannot be. */
export function readTarget(given: ClientOptions, environment: Environment, tell: Tell): (Target & { recorder: Recorder }) | undefined {
  if (process.env[STRICT] === '0') {
    tell(SECTION, 'fail', STRICT, 'is 0, so no certificate is checked and anybody can read the key on its way', 'take it out of the environment');
    return undefined;
  }
  const recorder = createRecorder(given.transport ?? moduleTransport(given.fetch, false));
  // One attempt for each request, so that the answer to each is seen, and each is in no doubt before.
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
    // In staging the made-up reports are refused for it, once it is known what answers there.
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

/** An address, however this machine is named in it. Of other names only the gateway's answers can tell whether they are one. */
function placeOf(baseUrl: string): string {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const host = hostname.replace(/\.$/, '');
  return [protocol, ['localhost', '127.0.0.1', '[::1]'].includes(host) ? 'localhost' : host, port, pathname].join(' ');
}

function tellSettings({ gateways }: ClientOptions, environment: Environment, baseUrl: string, tell: Tell): void {
  if (environment === 'staging' && process.env.LOCATION_SDK_MOCK) {
    tell(SECTION, 'warn', 'mock mode', `LOCATION_SDK_MOCK leads to ${baseUrl}`, 'this tests a mock gateway and tells nothing of the real one');
    return;
  }
  const from = (option: 'baseUrl' | 'apiKey') => (gateways?.[environment]?.[option] === undefined ? 'from the environment variable' : 'from --options');
  tell(SECTION, 'ok', 'base address', `${baseUrl} (${from('baseUrl')})`);
  tell(SECTION, 'ok', 'API key', `is there (${from('apiKey')})`);
}
