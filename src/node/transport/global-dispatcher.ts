import { Agent, Dispatcher, getGlobalDispatcher } from 'undici';
import { ConfigurationError } from '../../errors/errors.js';

/** What is set for the whole process when nobody has set anything. */
const FIRST_SET: unknown = getGlobalDispatcher();

/** What was set for the whole process by `setGlobalDispatcher`, by which the built-in `fetch` goes too; undefined where nothing was. */
export function setForAll(): Dispatcher | undefined {
  const set: unknown = getGlobalDispatcher();
  // A plain `Agent` that was there first may be undici's own, which has no limit of connections.
  if (!(set instanceof Dispatcher) || (set === FIRST_SET && set.constructor === Agent)) return undefined;
  return set;
}

/** Refuses to pass by what another copy of undici has set for the whole process, such as Node.js itself with `NODE_USE_ENV_PROXY`. */
export function checkSetForAll(): void {
  const set = getGlobalDispatcher() as object;
  const name = set.constructor.name;
  if (set instanceof Dispatcher || name === 'Agent') return;
  throw new ConfigurationError(
    `nodeTransport: another copy of undici has set a dispatcher for the whole process${/^\w{1,40}$/.test(name) ? ` (${name})` : ''}, by which the built-in fetch goes, and this transport cannot: pass nodeTransport({ proxy: 'environment' }) if that is the proxy of HTTPS_PROXY, or a dispatcher of the undici that you installed`,
    {},
  );
}
