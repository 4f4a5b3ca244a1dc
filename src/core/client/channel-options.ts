import { isDuplicate, isRecorded } from '../delivery/answer.js';
import type { Channel } from '../delivery/channel.js';
import { gatewayChannel } from '../delivery/gateway-channel.js';
import { relayChannel } from '../delivery/relay-channel.js';
import type { BothGateways, Gateway, IncompleteGateway } from '../delivery/settings.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { LocationSettings, Surroundings } from '../location/settings.js';
import type { LocationSources } from '../location/source.js';
import { asOwnRecord, asRecord } from '../platform/as-record.js';
import type { Logger } from '../platform/logger.js';
import { hasOwn } from '../platform/portable.js';
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

export interface ChannelRequest {
  readonly given: GivenOptions;
  /** The user's own options. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly inPage: boolean;
  /** Cannot fail. */
  readonly logger: Required<Logger>;
}

export interface ChosenChannel {
  /** If there are any, the channel is not used. */
  readonly problems: readonly ValidationIssue[];
  readonly channel: Channel;
  readonly environment: Environment | undefined;
  /** In mock mode: the location of all staging reports. */
  readonly mockLocation?: LocationInput | undefined;
}

/** Reads the options of one kind of channel. Undefined if they are for another kind. */
type ReadChannel = (request: ChannelRequest) => ChosenChannel | undefined;

const IN_FIXED = 'unknown field here; write location: { fixed: { latitude, longitude } }';
export const misplacedNames = { 'location.latitude': IN_FIXED, 'location.longitude': IN_FIXED };

const SECRET = 'is a secret, and every visitor can read this page or app: keep it in your backend, behind relayUrl';
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

const SET_BY_RELAY = 'is set by the relay; leave it out';

export const readRelay: ReadChannel = ({ given, own, inPage }) => {
  const { relayUrl, relayCredentials, gateways, clock } = given;
  if (relayUrl === undefined) return undefined;
  let address = readRelayUrl(relayUrl);
  // A module that makes a client may run before there is a page, or on a server.
  const resolve = () => {
    if (address.baseUrl === undefined) address = readRelayUrl(relayUrl);
    return address;
  };
  const hasGateway = Object.values(gateways).some(({ baseUrl, apiKey }) => (baseUrl ?? apiKey) !== undefined);
  const problems = [
    address.problem && issue(['relayUrl'], 'invalid', address.problem),
    asOwnRecord(own).environment !== undefined && issue(['environment'], 'conflict', SET_BY_RELAY),
    hasGateway && issue(['gateways'], 'conflict', SET_BY_RELAY),
    given.allowInsecureHttp &&
      issue(['allowInsecureHttp'], 'conflict', 'is for a staging gateway, never for a relay; leave it out'),
  ].flatMap((problem) => problem || []);
  return {
    problems,
    channel: relayChannel(resolve, relayCredentials, { inPage, clock }),
    environment: undefined,
  };
};

export const RELAY_REQUIRED = issue(
  ['relayUrl'],
  'missing',
  'is required in this build. For a page without a relay: location-sdk, or location-sdk.global.js',
);

/** Missing options are read from `variables`, if the build has any. */
export const readGateways =
  (variables?: EnvironmentVariables): ReadChannel =>
  (request) => {
    const { given, inPage, logger } = request;
    const { gateways, mock, environment, problems } = resolveGateways(request, inPage ? undefined : variables);
    if (problems.length === 0) {
      if (mock) variables?.tellOfMock(given.logger, logger);
      if (inPage && Object.values(given.gateways).some(({ apiKey }) => apiKey !== undefined))
        logger.warn('The API key is in this page (allowApiKeyInBrowser), where every visitor can read it.');
    }
    const channel = gatewayChannel(gateways, {
      isRecorded: given.isRecorded ?? isRecorded,
      isDuplicate: given.isDuplicate ?? isDuplicate,
      inPage,
      logger,
      clock: given.clock,
    });
    return { problems, channel, environment, mockLocation: mock?.location };
  };

type GatewaysRequest = Pick<ChannelRequest, 'given' | 'own' | 'inPage'>;

const IN_PRODUCTION = " The production gateway is set up: to report to it, set environment: 'production'";

/**
 * If a variable says so, a mock gateway replaces staging, and nothing goes to production. `inProduction`: the advice if
 * only production is set up.
 */
export function resolveGateways(
  request: GatewaysRequest,
  variables?: EnvironmentVariables,
  inProduction = `${IN_PRODUCTION}${variables?.orVariable ?? ''}.`,
) {
  const { given, own } = request;
  const named = asOwnRecord(own).environment === undefined ? undefined : given.environment;
  const read = variables?.read(given.gateways, named);
  const { staging, production } = read?.gateways ?? given.gateways;
  const mock = read?.mock;
  const environment = named ?? read?.environment ?? given.environment;
  const problems = read?.problems ?? [];
  // In mock mode the options are ignored, even wrong ones: tests have no secrets.
  if (mock) {
    const paths = complete(optionTable.paths, {});
    const gateways: BothGateways = { production: mock.production, staging: { ...mock.staging, paths } };
    return { gateways, mock, environment, problems };
  }
  const ofProduction = readGateway('production', production, request, variables);
  const ofStaging = readGateway('staging', staging, request, variables);
  const isNamed = staging.baseUrl !== undefined || staging.apiKey !== undefined;
  const isElsewhere = 'why' in ofStaging.gateway && !isNamed && !('why' in ofProduction.gateway);
  const gateways: BothGateways = {
    production: ofProduction.gateway,
    staging: isElsewhere ? { why: ofStaging.gateway.why + inProduction } : ofStaging.gateway,
  };
  return { gateways, environment, problems: [...problems, ...ofProduction.problems, ...ofStaging.problems] };
}

const UNDEFINED = 'is undefined; set it, or leave the option out to use the environment variable';

function readGateway(
  environment: Environment,
  { baseUrl, apiKey }: GatewayOptions,
  { given, own, inPage }: GatewaysRequest,
  variables?: EnvironmentVariables,
): { readonly gateway: Gateway | IncompleteGateway; readonly problems: readonly ValidationIssue[] } {
  const { allowApiKeyInBrowser, allowInsecureHttp, paths, gateways } = given;
  const options = { baseUrl, apiKey };
  const variable = (option: string) => variables?.insteadOf(environment, option) ?? '';
  const read = baseUrl === undefined ? undefined : readBaseUrl(baseUrl, environment === 'staging' && allowInsecureHttp);
  const written = asRecord(asRecord(own.gateways)[environment]);
  const keyProblem = typeof apiKey === 'string' ? apiKeyProblem(apiKey) : undefined;
  const replaced = (option: keyof GatewayOptions) =>
    gateways[environment][option] === undefined ? variable(option) : '';
  const problems: (readonly [option: string, message: string])[] = [];
  if (read?.problem) problems.push(['baseUrl', read.problem + replaced('baseUrl')]);
  // Such as a variable of the user's own that is not set. The key of another licence must not replace it.
  for (const [option, value] of Object.entries(options))
    if (value !== undefined && hasOwn(written, option) && written[option] === undefined)
      problems.push([option, UNDEFINED]);
  if (keyProblem) problems.push(['apiKey', keyProblem + replaced('apiKey')]);
  if (inPage && apiKey !== undefined && !allowApiKeyInBrowser)
    problems.push([
      'apiKey',
      'every visitor can read a key in a page; set relayUrl, so that your backend keeps it (or allowApiKeyInBrowser: true, if the key is public)',
    ]);
  const absent = Object.entries(options)
    .filter(([, value]) => value === undefined)
    .map(([option]) => `gateways.${environment}.${option}${variable(option)}`);
  const why = `the ${environment} gateway is not set up; missing: ${absent.join(', ')}.${inPage ? ' Or set relayUrl, so that no key is in the page.' : ''}`;
  return {
    gateway:
      read?.baseUrl !== undefined && apiKey !== undefined
        ? { baseUrl: read.baseUrl, paths, apiKey }
        : { baseUrl: read?.baseUrl, why },
    problems: problems.map(([option, message]) => issue(['gateways', environment, option], 'invalid', message)),
  };
}
