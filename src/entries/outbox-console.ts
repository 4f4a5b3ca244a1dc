/** The operator's console: `location-sdk/outbox/console`. @module */
export type { Console } from '../console/console.js';
export { createConsole } from '../console/create-console.js';
export type { ConsoleCall, ConsoleConnection, ConsoleOptions, ConsoleVisitor } from '../console/options.js';
