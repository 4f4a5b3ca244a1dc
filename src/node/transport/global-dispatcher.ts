import { Agent, Dispatcher, getGlobalDispatcher } from 'undici';
import { ConfigurationError } from '../../errors/errors.js';

/** The default of the process if no code has set one. */
const FIRST_SET: unknown = getGlobalDispatcher();

/** The dispatcher that `setGlobalDispatcher` set for the whole process, which the built-in `fetch` also uses. Undefined if none was set. */
export function setForAll(): Dispatcher | undefined {
  const set: unknown = getGlobalDispatcher();
  // A plain `Agent` may be undici's own default, which does not limit connections.
  if (!(set instanceof Dispatcher) || (set === FIRST_SET && set.constructor === Agent)) return undefined;
  return set;
}

/** Refuses to ignore a dispatcher that another copy of undici has set for the whole process, for example Node.js itself with `NODE_USE_ENV_PROXY`. */
export function checkSetForAll(): void {
  const set = getGlobalDispatcher() as object;
  const name = set.constructor.name;
  if (set instanceof Dispatcher || name === 'Agent') return;
  throw new ConfigurationError(
    `nodeTransport: another copy of undici has set a dispatcher for the whole process${/^\w{1,40}$/.test(name) ? ` (${name})` : ''}. The built-in fetch uses it, and this transport cannot: pass nodeTransport({ proxy: 'environment' }) if it is the proxy of HTTPS_PROXY, or a dispatcher of the undici that you installed`,
    {},
  );
}
