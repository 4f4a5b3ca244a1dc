import { createConsoleData } from '../outbox/console/create-console-data.js';
import { type Console, consoleOver } from './console.js';
import type { ConsoleOptions } from './options.js';
import { readConsoleSettings } from './settings.js';

/**
 * Makes the operator's console: a page that shows how an outbox is doing and lets a person decide what only a person can, for the
 * colleagues whom `authorize` lets in. Mount it under any path of your backend, as you mount a relay. Throws a `ConfigurationError`
 * that lists everything that is wrong with the options; without `authorize` it refuses to start.
 *
 * @example
 * ```ts
 * const console = createConsole({
 *   outbox,
 *   authorize: async (request) => {
 *     const colleague = await sessions.find(request.headers.get('cookie'));
 *     return colleague && { name: colleague.login, mayAct: colleague.isOnCall };
 *   },
 * });
 * ```
 */
export function createConsole(options: ConsoleOptions): Console {
  const settings = readConsoleSettings(options);
  const data = createConsoleData({ over: options.outbox });
  return consoleOver(data, settings);
}
