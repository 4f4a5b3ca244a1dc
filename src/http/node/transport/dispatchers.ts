// Imported as a namespace, since an older undici lacks some of these names and is refused with a message.
import type { Dispatcher } from 'undici';
import * as undici from 'undici';
import { ConfigurationError } from '../../../core/errors/errors.js';

/** In undici's order: the first of each pair counts. */
const VARIABLES = [
  ['https_proxy', 'HTTPS_PROXY'],
  ['http_proxy', 'HTTP_PROXY'],
] as const;

type Options = Omit<Dispatcher.ConnectOptions, 'origin'>;
type Tell = (error: Error | null, data: Dispatcher.ConnectData) => void;

class ProxyPool extends undici.Pool {
  override connect(options: Options): Promise<Dispatcher.ConnectData>;
  override connect(options: Options, tell: Tell): void;
  /**
   * If a proxy closes the connection without an answer, undici retries forever. Another error code ends the request.
   */
  override connect(options: Options, tell?: Tell): Promise<Dispatcher.ConnectData> | undefined {
    if (tell) {
      super.connect(options, tell);
      return undefined;
    }
    return super.connect(options).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'UND_ERR_SOCKET'
        ? Object.assign(new Error('the proxy closed the connection'), { code: 'PROXY_CLOSED' })
        : error;
    });
  }
}

/** Connections through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name; without them, direct ones. */
export function environmentProxy(options: { readonly connections: number }): Dispatcher {
  for (const names of VARIABLES) {
    const variable = names.find((name) => process.env[name] !== undefined);
    if (variable !== undefined && !isProxyAddress(process.env[variable] ?? ''))
      throw new ConfigurationError(
        `nodeTransport: proxy: expected an address such as http://proxy.example.com:8080 in the variable ${variable}. Its value is not shown, since it may contain a password; write special characters in a password as %XX`,
      );
  }
  return new undici.EnvHttpProxyAgent({
    ...options,
    pipelining: 1,
    allowH2: false,
    // Without it undici reads the variable again for every request.
    noProxy: process.env.no_proxy ?? process.env.NO_PROXY ?? '',
    // A tunnel shows whether the request was sent, and the proxy does not see the key.
    proxyTunnel: true,
    clientFactory: (origin, given) => new ProxyPool(origin, given),
  });
}

/** Whether Node.js was told to use that proxy for its own `fetch`, in a version that can do so or an older one. */
export const isProxySwitchedOn = (): boolean =>
  process.env.NODE_USE_ENV_PROXY === '1' ||
  [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)].includes('--use-env-proxy');

/** Whether undici accepts it. An empty variable means no proxy. */
function isProxyAddress(text: string): boolean {
  if (text === '') return true;
  try {
    const { protocol, hostname, username, password } = new URL(text);
    decodeURIComponent(`${username}:${password}`);
    return /^https?:$/.test(protocol) && hostname !== '';
  } catch {
    return false;
  }
}

/** The default of the process if no code has set one. */
const FIRST_SET: unknown = undici.getGlobalDispatcher();

/**
 * The dispatcher that `setGlobalDispatcher` set for the whole process, which the built-in `fetch` also uses. Undefined
 * if none was set.
 */
export function globalDispatcher(): Dispatcher | undefined {
  const set: unknown = undici.getGlobalDispatcher();
  // A plain `Agent` may be undici's own default, which does not limit connections.
  if (!(set instanceof undici.Dispatcher) || (set === FIRST_SET && set.constructor === undici.Agent)) return undefined;
  return set;
}

/** The key under which undici 8 keeps the dispatcher of `setGlobalDispatcher`. */
const UNDICI_8 = Symbol.for('undici.globalDispatcher.2');

export function refuseForeignGlobalDispatcher(): void {
  const got = undici.getGlobalDispatcher() as object;
  // Node.js 26 wraps its own dispatcher for an undici 7 that was installed.
  const wrapped = (globalThis as { [UNDICI_8]?: object })[UNDICI_8];
  const set = got.constructor.name === 'Dispatcher1Wrapper' ? (wrapped ?? got) : got;
  const name = set.constructor.name;
  if (set instanceof undici.Dispatcher || name === 'Agent') return;
  throw new ConfigurationError(
    `nodeTransport: another copy of undici has set a dispatcher for the whole process${/^\w{1,40}$/.test(name) ? ` (${name})` : ''}. The built-in fetch uses it, and this transport cannot: pass nodeTransport({ proxy: 'environment' }) if it is the proxy of HTTPS_PROXY, or a dispatcher of the undici that you installed`,
  );
}
