import { readBaseUrl } from './base-url.js';
import type { DeliverySettings, Destination, Logger } from './delivery/settings.js';
import { ConfigurationError, type Environment } from './errors.js';
import type { LocationSettings, Surroundings } from './location/locate.js';
import type { IpProvider } from './location/provider.js';
import { MOCK_API_KEY, MOCK_LOCATION } from './mock-defaults.js';
import { type OperationName, operationNames, operations } from './operations.js';
import type { ClientOptions, GatewayOptions } from './options.js';
import { clientOptions } from './options-schema.js';
import { environmentVariables, isBrowser } from './runtime.js';
import { apiKeyProblem } from './schema/api-key.js';
import { issue, type ValidationIssue } from './schema/issue.js';
import type { ValidationMode } from './schema/model.js';
import { listIssues, validate } from './schema/validate.js';
import { systemClock } from './time.js';
import type { Fetch } from './web-types.js';

/** Everything a client knows, decided once: past this file nothing is optional and nothing is read again. */
export interface Settings {
  readonly environment: Environment;
  /** A text instead of a destination says what is missing. */
  readonly destinations: Readonly<Record<Environment, Destination | string>>;
  readonly paths: Readonly<Record<OperationName, string>>;
  readonly validation: ValidationMode;
  readonly timeoutMs: number;
  readonly location: Readonly<Record<Environment, LocationSettings>>;
  readonly surroundings: Surroundings;
  readonly delivery: DeliverySettings;
}

/** The defaults that belong to other parts of the house. */
export interface PartDefaults {
  readonly providers: readonly IpProvider[];
  readonly isRecorded: DeliverySettings['isRecorded'];
  readonly isDuplicate: DeliverySettings['isDuplicate'];
}

const ENVIRONMENTS = ['staging', 'production'] as const;
const MOCK_VARIABLE = 'LOCATION_SDK_MOCK';

const variableName = (environment: Environment, what: 'BASE_URL' | 'API_KEY') => `LOCATION_SDK_${environment.toUpperCase()}_${what}`;

/** Checks options and turns them into settings; throws one `ConfigurationError` that lists every problem. */
export function resolveOptions(options: ClientOptions, defaults: PartDefaults): Settings {
  const checked = validate(clientOptions, 'strict', options);
  if (!checked.value) throw unusable(checked.issues);
  const given = checked.value as ClientOptions;
  const variables = environmentVariables();
  const browser = isBrowser();
  const logger = guarded(given.logger ?? { warn: (message) => console.warn(`location-sdk: ${message}`) });
  const clock = given.clock ?? systemClock;
  const fetch: Fetch = given.fetch ?? ((url, init) => globalThis.fetch(url, init));

  const problems: ValidationIssue[] = [];
  const destination = (environment: Environment): Destination | string => readGateway(environment, given, variables, browser, problems);
  const destinations = { staging: destination('staging'), production: destination('production') };
  const location = readLocation(given, defaults);
  const locations = { staging: location, production: location };

  const mock = variables[MOCK_VARIABLE];
  if (mock) {
    const read = readBaseUrl(mock, true);
    if ('problem' in read) problems.push(issue([MOCK_VARIABLE], 'invalid', read.problem));
    else {
      destinations.staging = { baseUrl: read.baseUrl, apiKey: () => MOCK_API_KEY };
      locations.staging = { ...location, fixed: MOCK_LOCATION };
    }
  }
  if (problems.length > 0) throw unusable(problems);
  if (mock) logger.warn?.(`${MOCK_VARIABLE} is set: everything that is meant for staging goes to the mock gateway, with its key and a made-up location.`);
  if (browser && ENVIRONMENTS.some((environment) => typeof destinations[environment] !== 'string')) {
    logger.warn?.('The API key is in this page (allowApiKeyInBrowser), where every visitor can read it.');
  }

  const scope: { isSecureContext?: boolean; navigator?: { geolocation?: Surroundings['geolocation'] } } = globalThis;
  return Object.freeze({
    environment: given.environment ?? 'staging',
    destinations,
    paths: readPaths(given),
    validation: given.validation ?? 'strict',
    timeoutMs: given.timeoutMs ?? 60_000,
    location: locations,
    surroundings: {
      browser,
      // jsdom and happy-dom do not say.
      secureContext: scope.isSecureContext !== false,
      geolocation: given.geolocation ?? scope.navigator?.geolocation,
      fetch,
      clock,
    },
    delivery: {
      fetch,
      browser,
      retry: { limit: given.retry?.limit ?? 2, baseMs: given.retry?.baseMs ?? 500, capMs: given.retry?.capMs ?? 8_000 },
      maxRetryAfterMs: given.maxRetryAfterMs ?? 30_000,
      attemptTimeoutMs: given.attemptTimeoutMs ?? 10_000,
      isRecorded: given.isRecorded ?? defaults.isRecorded,
      isDuplicate: given.isDuplicate ?? defaults.isDuplicate,
      logger,
      clock,
      random: given.random ?? Math.random,
    },
  });
}

const unusable = (issues: readonly ValidationIssue[]) => new ConfigurationError(`The options cannot be used. ${listIssues(issues)}`);

/** A logger that throws must not cost a report. */
function guarded(logger: Logger): Logger {
  const line = (level: keyof Logger) => (message: string) => {
    try {
      logger[level]?.(message);
    } catch {
      // Nothing can be said about it: the logger is what failed.
    }
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function readGateway(
  environment: Environment,
  options: ClientOptions,
  variables: Readonly<Record<string, string | undefined>>,
  browser: boolean,
  problems: ValidationIssue[],
): Destination | string {
  const path = ['gateways', environment];
  const given: GatewayOptions = options.gateways?.[environment] ?? {};
  const baseUrl = given.baseUrl ?? (variables[variableName(environment, 'BASE_URL')] || undefined);
  const apiKey = given.apiKey ?? (variables[variableName(environment, 'API_KEY')] || undefined);

  if (browser && apiKey !== undefined && !options.allowApiKeyInBrowser) {
    problems.push(
      issue(
        [...path, 'apiKey'],
        'invalid',
        'every visitor can read a key in a page; report from your backend, or set allowApiKeyInBrowser: true for a key that is meant to be public',
      ),
    );
  }
  const keyProblem = typeof apiKey === 'string' ? apiKeyProblem(apiKey) : undefined;
  if (keyProblem) problems.push(issue([...path, 'apiKey'], 'invalid', keyProblem));
  const insecure = environment === 'staging' && options.allowInsecureHttp === true;
  const read = baseUrl === undefined ? undefined : readBaseUrl(baseUrl, insecure);
  if (read && 'problem' in read) problems.push(issue([...path, 'baseUrl'], 'invalid', read.problem));

  const missing = (['baseUrl', 'apiKey'] as const).filter((name) => (name === 'baseUrl' ? baseUrl : apiKey) === undefined);
  if (missing.length > 0 || !read || 'problem' in read || apiKey === undefined) {
    const names = missing.map((name) => {
      const variable = variableName(environment, name === 'baseUrl' ? 'BASE_URL' : 'API_KEY');
      return `gateways.${environment}.${name}${browser ? '' : ` (or the environment variable ${variable})`}`;
    });
    return `The ${environment} gateway is not set up: ${names.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`;
  }
  return { baseUrl: read.baseUrl, apiKey: typeof apiKey === 'function' ? apiKey : () => apiKey };
}

function readPaths({ paths }: ClientOptions): Record<OperationName, string> {
  const entries = operationNames.map((name) => [name, (paths?.[name] ?? operations[name].path).replace(/^\/+/, '')]);
  return Object.fromEntries(entries) as Record<OperationName, string>;
}

function readLocation({ location = {} }: ClientOptions, { providers }: PartDefaults): LocationSettings {
  const { browser, ip, sourceNames } = location;
  return {
    required: location.required ?? true,
    fixed: location.fixed,
    timeoutMs: location.timeoutMs ?? 20_000,
    browser:
      browser?.enabled === false
        ? undefined
        : {
            highAccuracy: browser?.highAccuracy ?? true,
            timeoutMs: browser?.timeoutMs ?? 10_000,
            maximumAgeMs: browser?.maximumAgeMs ?? 60_000,
          },
    ip: ip?.enabled === false ? undefined : { providers: ip?.providers ?? providers, timeoutMs: ip?.timeoutMs ?? 4_000 },
    sourceNames: {
      gps: sourceNames?.gps ?? 'gps',
      ip: sourceNames?.ip ?? 'ip',
      client_ip: sourceNames?.client_ip ?? 'client_ip',
      provided: sourceNames?.provided ?? 'provided',
    },
  };
}
