/** The relay: `location-sdk/relay`. @module */

export { createRelay, type Relay } from '../relay/relay.js';
export type {
  RelayCall,
  RelayCallOptions,
  RelayClient,
  RelayEvent,
  RelayOptions,
  RelayPlayer,
  RelayQueued,
  RelayReport,
  RelayUser,
} from '../relay/relay-options.js';
