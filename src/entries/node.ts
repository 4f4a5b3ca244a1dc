/** For processes of Node.js: servers for the mock gateway and the relay, and a graceful stop: `location-sdk/node`. @module */
export { type NodeHandler, toNodeHandler } from '../http/node/node-handler.js';
export { type MockServer, type ServeOptions, serve } from '../http/node/serve.js';
export { type StopOnSignalsOptions, stopOnSignals } from '../http/node/stop-on-signals.js';
