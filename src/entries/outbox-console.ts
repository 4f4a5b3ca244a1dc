/** The operator's console: `location-sdk/outbox/console`. @module */
export type { Console } from '../console/console.js';
export { createConsole } from '../console/console.js';
export type { ConsoleOptions, ConsoleVisitor } from '../console/console-options.js';
