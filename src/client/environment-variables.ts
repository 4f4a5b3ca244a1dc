import type { Environment } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import { isBrowser } from '../platform/runtime.js';
import { readBaseUrl } from '../protocol/addresses.js';
import { MOCK_API_KEY, MOCK_LOCATION } from '../protocol/mock-mode.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import type { GatewayOptions } from './options.js';

/** What the environment variables of Node.js say. */
export interface FromVariables {
  /** The gateways' options, completed. */
  readonly gateways: Readonly<Record<Environment, GatewayOptions>>;
  /** In mock mode: where everything that is meant for staging goes instead, and the location that goes with it. */
  readonly mock: { readonly baseUrl: string; readonly apiKey: string; readonly location: LocationInput } | undefined;
  readonly problems: ValidationIssue[];
}

const MOCK_VARIABLE = 'LOCATION_SDK_MOCK';

const nameOf = (environment: Environment, option: string) => `LOCATION_SDK_${environment.toUpperCase()}_${option === 'baseUrl' ? 'BASE_URL' : 'API_KEY'}`;

/** For messages: the variable that stands for a gateway's option where it is left out. */
const variableName = (environment: Environment, option: string) => (isBrowser() ? '' : ` (or ${nameOf(environment, option)})`);

/** Completes the options from the environment variables (our decision); outside Node.js there are none. */
function readVariables(gateways: Readonly<Record<Environment, GatewayOptions>>): FromVariables {
  const variables = readEnvironment();
  // An empty one is none, and so is what some library put on the prototype of all objects.
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

/** Who was told of mock mode: once is enough, however many clients there are. */
const toldLoggers = new WeakSet<Logger>();

/** Says that mock mode is on, through a logger that is guarded. */
function tellOfMock(given: Logger, guarded: Required<Logger>): void {
  if (toldLoggers.has(given)) return;
  toldLoggers.add(given);
  guarded.warn('LOCATION_SDK_MOCK is set: everything meant for staging goes to the mock gateway, with its key and a made-up location.');
}

function readEnvironment(): Readonly<Record<string, string | undefined>> {
  const scope: { process?: { env?: Record<string, string | undefined>; versions?: { node?: string } } } = globalThis;
  try {
    return (!isBrowser() && scope.process?.versions?.node && scope.process.env) || {};
  } catch {
    // A runtime that asks before it lets the environment be read, and got a no.
    return {};
  }
}

/** The variables of Node.js, for builds that may run there. */
export const environmentVariables = { read: readVariables, nameOf: variableName, tellOfMock };

export type EnvironmentVariables = typeof environmentVariables;
