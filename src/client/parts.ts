import type { Channel } from '../delivery/channel.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { LocationSettings, Surroundings } from '../location/settings.js';
import type { LocationSources } from '../location/source.js';
import type { Logger } from '../platform/logger.js';
import type { Fetch } from '../platform/web-types.js';
import type { ValidationIssue } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import type { CompleteOptions } from '../schema/option-rules.js';
import type { optionTable } from './option-table.js';

export type GivenOptions = CompleteOptions<typeof optionTable>;

/** The input from which a channel is made. */
export interface ChannelRequest {
  /** The options, completed. */
  readonly given: GivenOptions;
  /** Whether any option was given. */
  isGiven(name: string): boolean;
  readonly inPage: boolean;
  /** Cannot fail. */
  readonly logger: Required<Logger>;
  /** Problems are added to this list. */
  readonly problems: ValidationIssue[];
}

/** The destination of reports, and the client's settings that depend on it. */
export interface ChosenChannel {
  readonly channel: Channel;
  /** Undefined with a relay, which has its own environment. */
  readonly environment: Environment | undefined;
  /** In mock mode: the location of all staging reports. */
  readonly mockLocation?: LocationInput | undefined;
}

/** Reads the options of one kind of channel. Undefined if they are for another kind. */
export type ReadChannel = (request: ChannelRequest) => ChosenChannel | undefined;

/** The differences between the builds. An entry plugs these parts together. */
export interface ClientParts {
  /** The first one that fits the options is used. */
  readonly channels: readonly ReadChannel[];
  /** Option names of other packages, with ours. */
  readonly otherNames?: Readonly<Record<string, string>>;
  /** The problem if no channel fits. */
  readonly noChannel?: ValidationIssue;
  readonly sources: (settings: LocationSettings, surroundings: Surroundings, inPage: boolean) => LocationSources;
  /** `fetch`: the user's own, if there is one. */
  readonly transport: (fetch: Fetch | undefined, inPage: boolean) => Transport;
}
