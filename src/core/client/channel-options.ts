import { isDuplicate, isRecorded } from '../delivery/answer.js';
import type { Channel } from '../delivery/channel.js';
import { gatewayChannel } from '../delivery/gateway-channel.js';
import { relayChannel } from '../delivery/relay-channel.js';
import type { Gateway } from '../delivery/settings.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { LocationSettings, Surroundings } from '../location/settings.js';
import type { LocationSources } from '../location/source.js';
import { asOwnRecord, asRecord } from '../platform/as-record.js';
import type { Logger } from '../platform/logger.js';
import type { Fetch } from '../platform/web-types.js';
import { readBaseUrl, readRelayUrl } from '../protocol/addresses.js';
import { apiKeyProblem } from '../schema/headers.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import { type CompleteOptions, complete } from '../schema/option-rules.js';
import type { EnvironmentVariables } from './environment-variables.js';
import { optionTable } from './option-table.js';
import type { GatewayOptions } from './options.js';

export type GivenOptions = CompleteOptions<typeof optionTable>;

interface ChannelRequest {
  readonly given: GivenOptions;
  /** The user's own options. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly inPage: boolean;
  /** Cannot fail. */
  readonly logger: Required<Logger>;
  /** Problems are added to this list. */
  readonly problems: ValidationIssue[];
}

interface ChosenChannel {
  readonly channel: Channel;
  readonly environment: Environment | undefined;
  /** In mock mode: the location of all staging reports. */
  readonly mockLocation?: LocationInput | undefined;
}

/** Reads the options of one kind of channel. Undefined if they are for another kind. */
type ReadChannel = (request: ChannelRequest) => ChosenChannel | undefined;

const IN_FIXED = 'unknown field here; write location: { fixed: { latitude, longitude } }';
/** Options of a misplaced location, with the message for each. */
export const misplacedNames = { 'location.latitude': IN_FIXED, 'location.longitude': IN_FIXED };

const SECRET = 'is a secret, and every visitor can read this page: keep it in your backend, behind relayUrl';
// Not a spread: esbuild keeps one in every bundle.
export const namesInPage: Readonly<Record<string, string>> = Object.assign(
  { apiKey: SECRET, api_key: SECRET, token: SECRET },
  misplacedNames,
);

/** The differences between the builds. An entry plugs these parts together. */
export interface ClientParts {
  /** The first one that fits the options is used. */
  readonly channels: readonly ReadChannel[];
  /** Option names of other packages, with the message for each. */
  readonly otherNames?: Readonly<Record<string, string>>;
  readonly noChannel?: ValidationIssue;
  readonly sources: (settings: LocationSettings, surroundings: Surroundings, inPage: boolean) => LocationSources;
  /** `fetch`: the user's own, if there is one. */
  readonly transport: (fetch: Fetch | undefined, inPage: boolean) => Transport;
}

export const readRelay: ReadChannel = ({ given, own, inPage, problems }) => {
  const { relayUrl, relayCredentials, gateways, clock } = given;
  if (relayUrl === undefined) return undefined;
  let address = readRelayUrl(relayUrl);
  if (address.problem) problems.push(issue(['relayUrl'], 'invalid', address.problem));
  // A module that makes a client may run before there is a page, or on a server.
  const resolve = () => {
    if (address.baseUrl === undefined) address = readRelayUrl(relayUrl);
    return address;
  };
  const setByRelay = {
    environment: asOwnRecord(own).environment !== undefined,
    gateways: Object.values(gateways).some((gateway) => Object.values(gateway).some((value) => value !== undefined)),
  };
  for (const [name, isHere] of Object.entries(setByRelay))
    if (isHere) problems.push(issue([name], 'conflict', 'is set by the relay; leave it out'));
  if (given.allowInsecureHttp)
    problems.push(
      issue(['allowInsecureHttp'], 'conflict', 'is for a staging gateway, never for a relay; leave it out'),
    );
  return {
    channel: relayChannel(resolve, relayCredentials, { inPage, clock }),
    environment: undefined,
  };
};

export const RELAY_REQUIRED = issue(
  ['relayUrl'],
  'missing',
  'is required here: this build is for pages with a relay. Without one, import location-sdk, or load location-sdk.global.js',
);

/** The gateways of both environments. Missing options are read from `variables`, if the build has any. */
export const readGateways =
  (variables?: EnvironmentVariables): ReadChannel =>
  (request) => {
    const { given, inPage, logger, problems } = request;
    const { gateways, mock, environment } = resolveGateways(request, inPage ? undefined : variables);
    if (problems.length === 0 && mock) variables?.tellOfMock(given.logger, logger);
    if (problems.length === 0 && inPage && Object.values(given.gateways).some(({ apiKey }) => apiKey !== undefined)) {
      logger.warn('The API key is in this page (allowApiKeyInBrowser), where every visitor can read it.');
    }
    const { isRecorded: recorded = isRecorded, isDuplicate: duplicate = isDuplicate, clock } = given;
    const channel = gatewayChannel(gateways, { isRecorded: recorded, isDuplicate: duplicate, inPage, logger, clock });
    return { channel, environment, mockLocation: mock?.location };
  };

type Request = Pick<ChannelRequest, 'given' | 'own' | 'inPage' | 'problems'>;

const IN_PRODUCTION = " The production gateway is set up: to report to it, set environment: 'production'";

/**
 * The gateways. If a variable says so, a mock gateway replaces staging, and nothing goes to production. `inProduction`:
 * the advice if only production is set up.
 */
export function resolveGateways(
  request: Request,
  variables?: EnvironmentVariables,
  inProduction = `${IN_PRODUCTION}${variables?.orVariable ?? ''}.`,
) {
  const { given, own, problems } = request;
  const named = asOwnRecord(own).environment === undefined ? undefined : given.environment;
  const read = variables?.read(given.gateways, named);
  const { staging, production } = read?.gateways ?? given.gateways;
  problems.push(...(read?.problems ?? []));
  const mock = read?.mock;
  // In mock mode the options are ignored, even wrong ones: tests have no secrets.
  const ofProduction = mock ? mock.production : readGateway('production', production, request, variables);
  const ofStaging = () => {
    const gateway = readGateway('staging', staging, request, variables);
    const isNamed = staging.baseUrl !== undefined || staging.apiKey !== undefined;
    return typeof gateway !== 'string' || isNamed || typeof ofProduction === 'string' || ofProduction.missing
      ? gateway
      : gateway + inProduction;
  };
  const gateways = {
    production: ofProduction,
    staging: mock
      ? { baseUrl: mock.baseUrl, apiKey: mock.apiKey, paths: complete(optionTable.paths, {}) }
      : ofStaging(),
  };
  return { gateways, mock, environment: named ?? read?.environment ?? given.environment };
}

const UNDEFINED = 'is undefined; set it, or leave the option out to use the environment variable';

/** The gateway of an environment, or what is missing. */
function readGateway(
  environment: Environment,
  { baseUrl, apiKey }: GatewayOptions,
  { given, own, inPage, problems }: Request,
  variables?: EnvironmentVariables,
): Gateway | string {
  const { allowApiKeyInBrowser, allowInsecureHttp, paths, gateways } = given;
  const variable = (option: string) => variables?.insteadOf(environment, option) ?? '';
  const refuse = (option: string, message: string) =>
    problems.push(issue(['gateways', environment, option], 'invalid', message));
  const refuseValue = (option: 'baseUrl' | 'apiKey', message: string | undefined) =>
    message && refuse(option, message + (gateways[environment][option] === undefined ? variable(option) : ''));
  const read = baseUrl === undefined ? undefined : readBaseUrl(baseUrl, environment === 'staging' && allowInsecureHttp);
  refuseValue('baseUrl', read?.problem);
  const written = asRecord(asRecord(own.gateways)[environment]);
  // Such as a variable of the user's own that is not set. The key of another licence must not replace it.
  for (const [option, value] of Object.entries({ baseUrl, apiKey }))
    if (value !== undefined && Object.hasOwn(written, option) && written[option] === undefined)
      refuse(option, UNDEFINED);
  if (typeof apiKey === 'string') refuseValue('apiKey', apiKeyProblem(apiKey));
  if (inPage && apiKey !== undefined && !allowApiKeyInBrowser)
    refuse(
      'apiKey',
      'every visitor can read a key in a page; set relayUrl, so that your backend keeps it (or allowApiKeyInBrowser: true, if the key is public)',
    );
  if (read?.baseUrl !== undefined && apiKey !== undefined) return { baseUrl: read.baseUrl, paths, apiKey };
  const absent = Object.entries({ baseUrl, apiKey })
    .filter(([, value]) => value === undefined)
    .map(([option]) => `gateways.${environment}.${option}${variable(option)}`);
  const missing = `the ${environment} gateway is not set up; missing: ${absent.join(', ')}.${inPage ? ' Or set relayUrl, so that no key is in the page.' : ''}`;
  return read?.baseUrl === undefined ? missing : { baseUrl: read.baseUrl, paths, apiKey: '', missing };
}
