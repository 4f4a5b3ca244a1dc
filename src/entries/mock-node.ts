/** The mock gateway on a socket: `location-sdk/mock/node`. @module */
export { type MockServer, type ServeOptions, serve } from '../node/serve.js';
