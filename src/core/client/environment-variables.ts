import { ENVIRONMENTS, type Environment } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import { readBaseUrl } from '../protocol/addresses.js';
import { MOCK_API_KEY, MOCK_LOCATION } from '../protocol/mock-mode.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { nearest } from '../schema/option-rules.js';
import type { GatewayOptions } from './options.js';

const MOCK_VARIABLE = 'LOCATION_SDK_MOCK';
export const NOT_IN_MOCK_MODE = `${MOCK_VARIABLE} is set, and while it is, nothing goes to production. Unset it where you report real bets; in tests use staging.`;
const ENVIRONMENT_VARIABLE = 'LOCATION_SDK_ENVIRONMENT';

const nameOf = (environment: Environment, option: string) =>
  `LOCATION_SDK_${environment.toUpperCase()}_${option === 'baseUrl' ? 'BASE_URL' : 'API_KEY'}`;

/**
 * Completes the options from the environment variables (our decision). Outside Node.js there are none. `named` is the
 * environment of the code, beside which the variable is not read.
 */
function readVariables(gateways: Readonly<Record<Environment, GatewayOptions>>, named: Environment | undefined) {
  const variables = readEnvironment();
  // An empty variable counts as missing, and so does a property that a library put on the prototype of all objects.
  const variable = (name: string) => (Object.hasOwn(variables, name) && variables[name]) || undefined;
  const complete = (environment: Environment): GatewayOptions => ({
    baseUrl: gateways[environment].baseUrl ?? variable(nameOf(environment, 'baseUrl')),
    apiKey: gateways[environment].apiKey ?? variable(nameOf(environment, 'apiKey')),
  });
  const address = variable(MOCK_VARIABLE);
  const mock = address ? readBaseUrl(address, true) : undefined;
  const given = named ?? variable(ENVIRONMENT_VARIABLE);
  const environment = ENVIRONMENTS.find((one) => one === given);
  const problems: ValidationIssue[] = [];
  if (mock?.problem) problems.push(issue([MOCK_VARIABLE], 'invalid', mock.problem));
  if (given !== undefined && !environment)
    problems.push(issue([ENVIRONMENT_VARIABLE], 'invalid', wrongEnvironment(given)));
  if (address && !named && environment === 'production')
    problems.push(issue([ENVIRONMENT_VARIABLE], 'invalid', `is production, but ${NOT_IN_MOCK_MODE}`));
  return {
    gateways: { staging: complete('staging'), production: complete('production') },
    environment,
    /** In mock mode: what replaces the gateways, and the location of all staging reports. */
    mock:
      mock?.baseUrl === undefined
        ? undefined
        : {
            staging: { baseUrl: mock.baseUrl, apiKey: MOCK_API_KEY },
            production: { why: NOT_IN_MOCK_MODE },
            location: MOCK_LOCATION,
          },
    problems,
  };
}

/** The value of the variable may be anything, so it is not shown. */
function wrongEnvironment(given: string): string {
  const meant = nearest(given, ENVIRONMENTS);
  return `expected staging or production${meant ? ` (did you mean ${meant}?)` : ''}, got a string of length ${given.length}`;
}

/** The loggers that have the line about mock mode: it is enough for any number of clients. */
const toldLoggers = new WeakSet<Logger>();

function tellOfMock(given: Logger, guarded: Required<Logger>): void {
  if (toldLoggers.has(given)) return;
  toldLoggers.add(given);
  guarded.warn(
    "LOCATION_SDK_MOCK is set: staging requests have the mock gateway's address and key, and an invented location; nothing goes to production.",
  );
}

function readEnvironment(): Readonly<Record<string, string | undefined>> {
  const scope: { process?: { env?: Record<string, string | undefined>; versions?: { node?: string } } } = globalThis;
  return (scope.process?.versions?.node && scope.process.env) || {};
}

export const environmentVariables = {
  read: readVariables,
  /** For messages: the variable that can replace a missing option of a gateway. */
  insteadOf: (environment: Environment, option: string) => ` (or ${nameOf(environment, option)})`,
  orVariable: ', or LOCATION_SDK_ENVIRONMENT=production',
  tellOfMock,
};

export type EnvironmentVariables = typeof environmentVariables;
