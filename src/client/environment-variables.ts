import type { Environment } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import { isBrowser } from '../platform/runtime.js';
import { readBaseUrl } from '../protocol/addresses.js';
import { MOCK_API_KEY, MOCK_LOCATION } from '../protocol/mock-mode.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import type { GatewayOptions } from './options.js';

/** The values of Node.js's environment variables. */
export interface FromVariables {
  /** The gateways' options, completed. */
  readonly gateways: Readonly<Record<Environment, GatewayOptions>>;
  /** In mock mode: the address that replaces staging, and the location that goes with it. */
  readonly mock: { readonly baseUrl: string; readonly apiKey: string; readonly location: LocationInput } | undefined;
  readonly problems: ValidationIssue[];
}

const MOCK_VARIABLE = 'LOCATION_SDK_MOCK';

const nameOf = (environment: Environment, option: string) => `LOCATION_SDK_${environment.toUpperCase()}_${option === 'baseUrl' ? 'BASE_URL' : 'API_KEY'}`;

/** For messages: the variable that can replace a missing option of a gateway. */
const variableName = (environment: Environment, option: string) => (isBrowser() ? '' : ` (or ${nameOf(environment, option)})`);

/** Completes the options from the environment variables (our decision). Outside Node.js there are none. */
function readVariables(gateways: Readonly<Record<Environment, GatewayOptions>>): FromVariables {
  const variables = readEnvironment();
  // An empty variable counts as missing, and so does a property that a library put on the prototype of all objects.
  const variable = (name: string) => (Object.hasOwn(variables, name) && variables[name]) || undefined;
  const complete = (environment: Environment): GatewayOptions => ({
    baseUrl: gateways[environment].baseUrl ?? variable(nameOf(environment, 'baseUrl')),
    apiKey: gateways[environment].apiKey ?? variable(nameOf(environment, 'apiKey')),
  });
  const completed = { staging: complete('staging'), production: complete('production') };
  const address = variable(MOCK_VARIABLE);
  const read = address ? readBaseUrl(address, true) : undefined;
  return {
    gateways: completed,
    mock: read?.baseUrl === undefined ? undefined : { baseUrl: read.baseUrl, apiKey: MOCK_API_KEY, location: MOCK_LOCATION },
    problems: read?.problem ? [issue([MOCK_VARIABLE], 'invalid', read.problem)] : [],
  };
}

const MOCK_LINE = 'LOCATION_SDK_MOCK is set: all staging requests go to the mock gateway, with its key and an invented location.';
const OWN_SENDER_LINE =
  "LOCATION_SDK_MOCK is set: staging requests have the mock gateway's address and key, and an invented location. The fetch or transport of this client decides whether they leave the process.";

/** The loggers that have each line about mock mode: a line is enough for any number of clients. */
const toldLoggers = new Map([MOCK_LINE, OWN_SENDER_LINE].map((line) => [line, new WeakSet<Logger>()]));

/** Logs that mock mode is on, through a logger that cannot throw. A client with its own `fetch` may send to a gateway in its process. */
function tellOfMock(given: Logger, guarded: Required<Logger>, hasOwnSender: boolean): void {
  const line = hasOwnSender ? OWN_SENDER_LINE : MOCK_LINE;
  const told = toldLoggers.get(line);
  if (told?.has(given)) return;
  told?.add(given);
  guarded.warn(line);
}

function readEnvironment(): Readonly<Record<string, string | undefined>> {
  const scope: { process?: { env?: Record<string, string | undefined>; versions?: { node?: string } } } = globalThis;
  try {
    return (!isBrowser() && scope.process?.versions?.node && scope.process.env) || {};
  } catch {
    // The runtime asks for permission before the environment is read, and it was denied.
    return {};
  }
}

/** The variables of Node.js, for builds that may run there. */
export const environmentVariables = { read: readVariables, nameOf: variableName, tellOfMock };

export type EnvironmentVariables = typeof environmentVariables;
