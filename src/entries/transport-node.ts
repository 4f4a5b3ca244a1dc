/** A faster transport for Node.js: `location-sdk/transport/node`. @module */
export { type NodeTransport, type NodeTransportOptions, nodeTransport } from '../http/node/transport/node-transport.js';
