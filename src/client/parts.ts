import type { Channel } from '../delivery/channel.js';
import type { Transport } from '../delivery/transport.js';
import type { Environment } from '../errors/errors.js';
import type { LocationSettings, Surroundings } from '../location/settings.js';
import type { LocationSources } from '../location/source.js';
import type { Logger } from '../platform/logger.js';
import type { Fetch } from '../platform/web-types.js';
import type { ValidationIssue } from '../schema/issue.js';
import type { LocationInput } from '../schema/location.js';
import type { CompleteOptions } from '../schema/option-table.js';
import type { optionTable } from './option-table.js';

export type GivenOptions = CompleteOptions<typeof optionTable>;

/** What a channel is made of. */
export interface ChannelRequest {
  /** The options, completed. */
  readonly given: GivenOptions;
  /** Whether an option was given at all. */
  isGiven(name: string): boolean;
  readonly inPage: boolean;
  /** Cannot fail. */
  readonly logger: Required<Logger>;
  /** What is wrong is added here. */
  readonly problems: ValidationIssue[];
}

/** Where reports go, and what follows from that for a client. */
export interface ChosenChannel {
  readonly channel: Channel;
  /** Undefined with a relay, whose environment is its own. */
  readonly environment: Environment | undefined;
  /** In mock mode: the location of everything that is meant for staging. */
  readonly mockLocation?: LocationInput | undefined;
}

/** Reads the options of one kind of channel; undefined where they name another kind. */
export type ReadChannel = (request: ChannelRequest) => ChosenChannel | undefined;

/** What differs between the builds: an entry plugs these together. */
export interface ClientParts {
  /** The first that fits the options is taken. */
  readonly channels: readonly ReadChannel[];
  /** The names that options have in other packages, with ours. */
  readonly otherNames?: Readonly<Record<string, string>>;
  /** What is wrong where none fits. */
  readonly noChannel?: ValidationIssue;
  readonly sources: (settings: LocationSettings, surroundings: Surroundings, inPage: boolean) => LocationSources;
  /** `fetch`: the user's own, where there is one. */
  readonly transport: (fetch: Fetch | undefined, inPage: boolean) => Transport;
}
