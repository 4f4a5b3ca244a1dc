/** The relay for Node.js's `http` and for Express: `location-sdk/relay/node`. @module */
export { type NodeHandler, toNodeHandler } from '../node/relay-handler.js';
