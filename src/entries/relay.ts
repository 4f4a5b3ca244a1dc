/** The relay: `location-sdk/relay`. @module */
export type {
  RelayCall,
  RelayCallOptions,
  RelayClient,
  RelayConnection,
  RelayEvent,
  RelayLocation,
  RelayOperation,
  RelayOptions,
  RelayPlayer,
  RelayQueued,
  RelayReport,
  RelayUser,
} from '../relay/options.js';
export { createRelay, type Relay } from '../relay/relay.js';
