import type { Environment } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import { isBrowser } from '../platform/runtime.js';
import { readBaseUrl } from '../protocol/addresses.js';
import { MOCK_API_KEY, MOCK_LOCATION } from '../protocol/mock-mode.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import { nearest } from '../schema/option-rules.js';
import type { GatewayOptions } from './options.js';

interface FromVariables {
  readonly gateways: Readonly<Record<Environment, GatewayOptions>>;
  /** The environment of calls that name none. Undefined if no variable names it. */
  readonly environment: Environment | undefined;
  /** In mock mode: the address that replaces staging, and the location that goes with it. */
  readonly mock: { readonly baseUrl: string; readonly apiKey: string; readonly location: LocationInput } | undefined;
  readonly problems: ValidationIssue[];
}

const MOCK_VARIABLE = 'LOCATION_SDK_MOCK';
const ENVIRONMENT_VARIABLE = 'LOCATION_SDK_ENVIRONMENT';

const nameOf = (environment: Environment, option: string) =>
  `LOCATION_SDK_${environment.toUpperCase()}_${option === 'baseUrl' ? 'BASE_URL' : 'API_KEY'}`;

/** For messages: the variable that can replace a missing option of a gateway. */
const variableName = (environment: Environment, option: string) =>
  isBrowser() ? '' : ` (or ${nameOf(environment, option)})`;

/** For the message about a staging gateway that is not set up, beside one of production that is. */
const choiceOfProduction = () =>
  ` The production gateway is set up: to report to it, set environment: 'production'${isBrowser() ? '' : `, or ${ENVIRONMENT_VARIABLE}=production`}.`;

/**
 * Completes the options from the environment variables (our decision). Outside Node.js there are none. `environment` is
 * the one of the code, beside which the variable is not read.
 */
function readVariables(
  gateways: Readonly<Record<Environment, GatewayOptions>>,
  environment?: Environment,
): FromVariables {
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
  const problems = read?.problem ? [issue([MOCK_VARIABLE], 'invalid', read.problem)] : [];
  const named = environment === undefined ? variable(ENVIRONMENT_VARIABLE) : undefined;
  const problem = named === undefined ? undefined : problemOf(named, address !== undefined);
  if (problem) problems.push(issue([ENVIRONMENT_VARIABLE], 'invalid', problem));
  return {
    gateways: completed,
    environment: named === 'production' || named === 'staging' ? named : undefined,
    mock:
      read?.baseUrl === undefined
        ? undefined
        : { baseUrl: read.baseUrl, apiKey: MOCK_API_KEY, location: MOCK_LOCATION },
    problems,
  };
}

/** The problem with the variable of the environment. Its value may be anything, so it is not shown. */
function problemOf(named: string, inMockMode: boolean): string | undefined {
  if (named !== 'staging' && named !== 'production') {
    const meant = nearest(named, ['staging', 'production']);
    return `expected staging or production${meant ? ` (did you mean ${meant}?)` : ''}, got a string of length ${named.length}`;
  }
  return named === 'production' && inMockMode
    ? `is production, and ${MOCK_VARIABLE} leads only staging to a mock gateway, so reports would go to the real one; unset one of them`
    : undefined;
}

const MOCK_LINE =
  "LOCATION_SDK_MOCK is set: staging requests have the mock gateway's address and key, and an invented location.";

/** The loggers that have the line about mock mode: it is enough for any number of clients. */
const toldLoggers = new WeakSet<Logger>();

/** Logs that mock mode is on, through a logger that cannot throw. */
function tellOfMock(given: Logger, guarded: Required<Logger>): void {
  if (toldLoggers.has(given)) return;
  toldLoggers.add(given);
  guarded.warn(MOCK_LINE);
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
export const environmentVariables = { read: readVariables, nameOf: variableName, choiceOfProduction, tellOfMock };

export type EnvironmentVariables = typeof environmentVariables;
