import { operations } from '../protocol/operations.js';
import type { RelayOperation } from './options.js';

const SERVED: readonly RelayOperation[] = ['reportBetEvent', 'reportWithdrawalEvent'];

/** What proxies, routers and servers read in different ways: encoded characters, backslashes, empty segments. */
const AMBIGUOUS = /[%\\]|\/\//;

/** Whether `URL` takes a path as it came: it resolves `..` and `%2e`, and turns a backslash into a slash, which a proxy before the relay may not. */
function isUnchanged(target: string): boolean {
  const path = target.replace(/^https?:\/\/[^/?#\\]*/i, '');
  return path.startsWith('/') && new URL(`http://relay.localhost${path}`).pathname === path;
}

/**
 * The operation that an address asks for: its last segment is the operation's path, letter by letter, below whatever
 * the relay is mounted at. Anything that could be read in two ways is no address of the relay's, nor is one with a query.
 * `target` is the path as it came, where that is known: the address of a `Request` is resolved already.
 */
export function routeOf(address: string, target?: unknown): RelayOperation | undefined {
  const { pathname, search } = new URL(address);
  if (search !== '' || AMBIGUOUS.test(pathname)) return undefined;
  if (typeof target === 'string' && !isUnchanged(target)) return undefined;
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return SERVED.find((name) => operations[name].path === last);
}
