import { resolveGateways } from '../../core/client/channel-options.js';
import { createClient } from '../../core/client/create-client.js';
import { environmentVariables } from '../../core/client/environment-variables.js';
import { optionTable } from '../../core/client/option-table.js';
import type { ClientOptions } from '../../core/client/options.js';
import { moduleTransport } from '../../core/delivery/ky-transport.js';
import { type Environment, isReportingError } from '../../core/errors/errors.js';
import { complete } from '../../core/schema/option-rules.js';
import { createRecorder } from './recorder.js';
import { type CheckResult, fail, ok, type Target, type Tell, warn } from './run.js';

const STRICT = 'NODE_TLS_REJECT_UNAUTHORIZED';

const SET_UP = 'set the variables, or give a file with client options: --options options.mjs';
/** Only for staging: the variable sends only staging to a mock gateway. */
const TRY = '. To try this command: npx location-sdk mock, and LOCATION_SDK_MOCK=http://127.0.0.1:4010';

/** Silent, since the lines of the check contain the client's warnings. */
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const IN_PRODUCTION = ' The production gateway is set up: test it with --environment production.';

/** As the operator's own client does. Undefined if that fails. */
export function readTarget(given: ClientOptions, environment: Environment, tell: Tell): Target | undefined {
  const say = (name: string, result: CheckResult) => tell('Settings', name, result);
  if (process.env[STRICT] === '0') {
    const text = 'is 0, so no certificate is checked and others can read the key on its way';
    say(STRICT, fail(text, 'remove it from the environment'));
    return undefined;
  }
  const recorder = createRecorder(given.transport ?? moduleTransport(given.fetch, false));
  // One attempt for each request, so that every answer is recorded, and no earlier attempt leaves a request in doubt.
  const own = {
    retry: { limit: 0 },
    transport: recorder.transport,
    logger: QUIET,
    location: undefined,
    onEvent: undefined,
  };
  const options: ClientOptions = { ...given, environment, ...own };
  try {
    const client = createClient(options);
    const completed = complete(optionTable, options);
    const { gateways, mock } = resolveGateways(
      { given: completed, own: { environment }, inPage: false },
      environmentVariables,
      IN_PRODUCTION,
    );
    const gateway = gateways[environment];
    if ('why' in gateway) {
      say('options', fail(gateway.why, mock ? undefined : environment === 'staging' ? `${SET_UP}${TRY}` : SET_UP));
      return undefined;
    }
    if (mock) {
      const text = `LOCATION_SDK_MOCK leads to ${gateway.baseUrl}`;
      say('mock mode', warn(text, 'this tests a mock gateway, not the real one'));
    } else {
      const from = (option: 'baseUrl' | 'apiKey') =>
        given.gateways?.[environment]?.[option] === undefined ? 'from the environment variable' : 'from --options';
      say('base address', ok(`${gateway.baseUrl} (${from('baseUrl')})`));
      say('API key', ok(`is set (${from('apiKey')})`));
    }
    const other = gateways[environment === 'staging' ? 'production' : 'staging'];
    return {
      environment,
      gateway,
      client,
      recorder,
      headers: completed.headers,
      requestMs: completed.attemptTimeoutMs,
      ownFetch: given.fetch !== undefined || given.transport !== undefined,
      sharedAddress: other.baseUrl !== undefined && placeOf(other.baseUrl) === placeOf(gateway.baseUrl),
    };
  } catch (error) {
    if (!isReportingError(error)) throw error;
    say('options', fail(error.message.replace(/\s*\n\s*/g, ' ')));
    return undefined;
  }
}

/**
 * An address in one spelling, also for the names of this machine. Only the gateway's answers can show that two other
 * names are one server.
 */
function placeOf(baseUrl: string): string {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const host = hostname.replace(/\.$/, '');
  return [protocol, ['localhost', '127.0.0.1', '[::1]'].includes(host) ? 'localhost' : host, port, pathname].join(' ');
}
