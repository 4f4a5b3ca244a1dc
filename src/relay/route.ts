import { operations } from '../protocol/operations.js';
import type { RelayOperation } from './options.js';

const SERVED: readonly RelayOperation[] = ['reportBetEvent', 'reportWithdrawalEvent'];

/** Characters that proxies, routers and servers read in different ways: encoded ones, backslashes, empty segments. */
const AMBIGUOUS = /[%\\]|\/\//;

/** Whether `URL` keeps a path unchanged. It resolves `..` and `%2e`, and turns a backslash into a slash; a proxy before the relay may not. */
function isUnchanged(target: string): boolean {
  const path = target.replace(/^https?:\/\/[^/?#\\]*/i, '');
  return path.startsWith('/') && new URL(`http://relay.localhost${path}`).pathname === path;
}

/**
 * The operation of an address: its last segment must be the operation's path exactly, below the path at which the relay
 * is mounted. An address that could be read in two ways is refused, and so is one with a query. `target` is the path as
 * received, if known: the address of a `Request` is already resolved.
 */
export function routeOf(address: string, target?: unknown): RelayOperation | undefined {
  const { pathname, search } = new URL(address);
  if (search !== '' || AMBIGUOUS.test(pathname)) return undefined;
  if (typeof target === 'string' && !isUnchanged(target)) return undefined;
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return SERVED.find((name) => operations[name].path === last);
}
