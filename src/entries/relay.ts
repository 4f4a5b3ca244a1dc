/** The relay: `location-sdk/relay`. @module */

export { createRelay, type Relay } from '../http/relay/relay.js';
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
} from '../http/relay/relay-options.js';
