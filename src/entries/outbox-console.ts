/** The operator's console: `location-sdk/outbox/console`. @module */
export type { Console } from '../http/console/console.js';
export { createConsole } from '../http/console/console.js';
export type { ConsoleOptions, ConsoleVisitor } from '../http/console/console-options.js';
