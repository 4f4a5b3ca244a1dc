import { readRelayUrl } from './base-url.js';
import type { DeliverySettings, Gateway, Relay } from './delivery/settings.js';
import { readVariables, tellOfMock } from './environment-variables.js';
import { ConfigurationError, type Environment } from './errors.js';
import type { ClientEvent } from './events.js';
import { readGateway } from './gateway-options.js';
import type { LocationSettings, Surroundings } from './location/locate.js';
import type { IpProvider } from './location/provider.js';
import { ownMembers } from './members.js';
import { clientOptions, complete, optionTable, ownOptions, type Resolved } from './option-table.js';
import type { ClientOptions } from './options.js';
import { RELAY_ONLY } from './relay-only.js';
import { isBrowser } from './runtime.js';
import { issue, type ValidationIssue } from './schema/issue.js';
import type { LocationInput } from './schema/location.js';
import type { ValidationMode } from './schema/model.js';
import { listIssues, validate } from './schema/validate.js';
import { guarded, unfailing } from './unfailing.js';

/** Everything a client knows, decided once: past this file nothing is optional and nothing is read again. */
export interface Settings extends Surroundings, DeliverySettings {
  /** Undefined with a relay, whose environment is its own. */
  readonly environment: Environment | undefined;
  /** A text instead of a gateway says what is missing. */
  readonly destinations: Readonly<Record<Environment, Gateway | string>>;
  /** Where all reports go instead. */
  readonly relay: Relay | undefined;
  /** Whether what is for staging goes to a mock gateway, since a variable says so. */
  readonly mockMode: boolean;
  readonly validation: ValidationMode;
  readonly timeoutMs: number;
  readonly location: LocationSettings;
  /** Replaces the location chain. */
  readonly fixedLocations: Readonly<Record<Environment, LocationInput | undefined>>;
  readonly onEvent: (event: ClientEvent) => void;
}

/** The defaults that belong to other parts of the house. */
export interface PartDefaults extends Pick<DeliverySettings, 'isRecorded' | 'isDuplicate'> {
  readonly providers: readonly IpProvider[];
}

/**
 * Checks options and turns them into settings. Throws a `ConfigurationError` that lists every wrong name and type at
 * once, or, where there is none, every unsafe address and key.
 */
export function resolveOptions(options: ClientOptions<ValidationMode>, parts: PartDefaults): Settings {
  const checked = checkOptions(options);
  if (!checked.value) throw unusable(checked.issues);
  const given = complete(optionTable, checked.value);
  const browser = isBrowser();
  const relayed = RELAY_ONLY || given.relayUrl !== undefined;
  // The variables are a backend's: with a relay nothing is left to them.
  const { gateways, mock, problems } = relayed ? { gateways: given.gateways, mock: undefined, problems: [] } : readVariables(given);
  const relay = readRelay(given, checked.value, problems);

  const production = readGateway('production', gateways.production, given, browser, problems);
  // What the code passes for staging does not matter in mock mode, not even where it is wrong: tests have no secrets.
  const staging =
    !RELAY_ONLY && mock
      ? { baseUrl: mock.baseUrl, apiKey: mock.apiKey, paths: complete(optionTable.paths, {}) }
      : readGateway('staging', gateways.staging, given, browser, problems);
  if (problems.length > 0) throw unusable(problems);

  const logger = guarded(given.logger);
  if (!RELAY_ONLY && mock) tellOfMock(given.logger, logger);
  if (!RELAY_ONLY && browser && (gateways.staging.apiKey || gateways.production.apiKey)) {
    logger.warn('The API key is in this page (allowApiKeyInBrowser), where every visitor can read it.');
  }

  const { fixed, ...chain } = given.location;
  const ip = { ...chain.ip, enabled: chain.ip.enabled && !relayed, providers: chain.ip.providers ?? parts.providers };
  const location = { ...chain, required: chain.required && !relayed, ip };
  return Object.freeze({
    ...given,
    browser,
    logger,
    scope: globalThis,
    environment: relayed ? undefined : given.environment,
    relay,
    destinations: { staging, production },
    mockMode: mock !== undefined,
    location,
    fixedLocations: { staging: !RELAY_ONLY && mock ? mock.location : fixed, production: fixed },
    onEvent: unfailing(given.onEvent),
    isRecorded: given.isRecorded ?? parts.isRecorded,
    isDuplicate: given.isDuplicate ?? parts.isDuplicate,
  });
}

const unusable = (issues: readonly ValidationIssue[]) => new ConfigurationError(`The options cannot be used: ${listIssues(issues)}`);

/** Whatever throws when it is read, however deep it stands, is a wrong option and no more. */
function checkOptions(options: unknown) {
  try {
    return validate(clientOptions, 'strict', ownOptions(optionTable, options));
  } catch {
    throw unusable([issue(['options'], 'not-json', 'could not be read: a getter or proxy threw')]);
  }
}

/** The relay, where there is one; what is wrong is added to the problems. */
function readRelay(
  { relayUrl, relayCredentials, gateways }: Resolved<typeof optionTable>,
  given: Record<string, unknown>,
  problems: ValidationIssue[],
): Relay | undefined {
  if (relayUrl === undefined) return undefined;
  const { baseUrl = '', problem } = readRelayUrl(relayUrl);
  if (problem) problems.push(issue(['relayUrl'], 'invalid', problem));
  const ofTheRelay = {
    environment: ownMembers(given).environment !== undefined,
    gateways: Object.values(gateways).some((gateway) => Object.values(gateway).some((value) => value !== undefined)),
  };
  for (const [name, isGiven] of Object.entries(ofTheRelay)) if (isGiven) problems.push(issue([name], 'conflict', "is the relay's to know; leave it out"));
  // The header makes a browser ask the relay first where the page is of another origin.
  return { relayUrl: baseUrl, credentials: relayCredentials, headers: { 'x-location-sdk': '1' } };
}
