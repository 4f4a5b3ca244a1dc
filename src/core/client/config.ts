import type { Channel } from '../delivery/channel.js';
import type { DeliverySettings } from '../delivery/settings.js';
import { ConfigurationError, type Environment, requireOptions } from '../errors/errors.js';
import type { LocationSettings } from '../location/settings.js';
import type { LocationSources } from '../location/source.js';
import { safeCallback, safeLogger } from '../platform/logger.js';
import { isBrowser } from '../platform/runtime.js';
import { headerIssues } from '../schema/headers.js';
import type { LocationInput } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';
import { optionsProblem } from '../schema/option-rules.js';
import {
  type ChannelRequest,
  type ChosenChannel,
  type ClientParts,
  type GivenOptions,
  namesInPage,
} from './channel-options.js';
import { optionTable } from './option-table.js';
import type { ClientEvent, ClientOptions } from './options.js';

/** All settings of a client, decided once. After this file no setting is optional and none is read again. */
export interface Settings
  extends DeliverySettings,
    Pick<GivenOptions, 'validation' | 'maxDecimals' | 'maxReferenceLength' | 'timeoutMs'> {
  readonly inPage: boolean;
  readonly channel: Channel;
  /** Undefined with a relay, which has its own environment. */
  readonly environment: Environment | undefined;
  /** Whether an environment variable redirects staging to a mock gateway. */
  readonly mockMode: boolean;
  readonly location: LocationSettings;
  readonly sources: LocationSources['sources'];
  readonly clientIpProblem: LocationSources['clientIpProblem'];
  readonly hiddenByMock: LocationSources['hiddenByMock'];
  /** Replaces the location chain. */
  readonly fixedLocations: Readonly<Record<Environment, LocationInput | undefined>>;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
}

/**
 * Checks options and turns them into settings. Throws a `ConfigurationError` that lists every wrong name and type at
 * once or, if there is none, every unsafe address and key.
 */
export function resolveOptions(options: ClientOptions<ValidationMode>, parts: ClientParts): Settings {
  const inPage = isBrowser();
  const { own, complete: given } = requireOptions(
    '',
    optionTable,
    options,
    ({ headers }) => (headers === undefined ? [] : headerIssues(headers)),
    inPage ? { ...parts.otherNames, ...namesInPage } : parts.otherNames,
  );
  const logger = safeLogger(given.logger);
  const { channel, environment, mockLocation } = chooseChannel(parts, { given, own, inPage, logger });

  const relayed = channel.kind === 'relay';
  const { fixed, ...chain } = given.location;
  const location = {
    ...chain,
    required: chain.required && !relayed,
    ip: { ...chain.ip, enabled: chain.ip.enabled && !relayed },
  };
  const onEvent = given.onEvent && safeCallback(given.onEvent);
  const { sources, clientIpProblem, hiddenByMock } = parts.sources(
    location,
    { ...given, onEvent, scope: globalThis },
    inPage,
  );
  return Object.freeze({
    ...given,
    inPage,
    logger,
    debug: given.logger.debug && logger.debug,
    channel,
    environment,
    transport: given.transport ?? parts.transport(own.fetch === undefined ? undefined : given.fetch, inPage),
    headers: typeof given.headers === 'object' ? { ...given.headers } : given.headers,
    mockMode: mockLocation !== undefined,
    location,
    sources,
    clientIpProblem: relayed ? undefined : clientIpProblem,
    hiddenByMock,
    fixedLocations: { staging: mockLocation ?? fixed, production: fixed },
    onEvent,
  });
}

function chooseChannel({ channels, noChannel }: ClientParts, request: ChannelRequest): ChosenChannel {
  for (const read of channels) {
    const chosen = read(request);
    if (chosen?.problems.length === 0) return chosen;
    if (chosen) throw new ConfigurationError(optionsProblem('', chosen.problems));
  }
  throw new ConfigurationError(optionsProblem('', noChannel ? [noChannel] : []));
}
