import { operations } from '../protocol/operations.js';
import type { RelayOperation } from './options.js';

const SERVED: readonly RelayOperation[] = ['reportBetEvent', 'reportWithdrawalEvent'];

/** Characters that proxies, routers and servers read in different ways: encoded ones, backslashes, parameters such as `;x=1`, empty segments. */
const AMBIGUOUS = /[%\\;]|\/\//;

/** Whether `URL` keeps a path unchanged. It resolves `..` and `%2e`, and turns a backslash into a slash; a proxy before the relay may not. */
function isUnchanged(target: string): boolean {
  const path = target.replace(/^https?:\/\/[^/?#\\]*/i, '');
  return path.startsWith('/') && !path.includes(';') && new URL(`http://relay.localhost${path}`).pathname === path;
}

/**
 * The path of a request; undefined where it could be read in two ways, or has a query.
 * `target` is the path as it came, where that is known: the address of a `Request` is resolved already.
 */
export function plainPathOf(address: string, target?: unknown): string | undefined {
  const { pathname, search } = new URL(address);
  if (search !== '' || AMBIGUOUS.test(pathname)) return undefined;
  return typeof target === 'string' && !isUnchanged(target) ? undefined : pathname;
}

/** The operation that an address asks for: the last segment of its path is the operation's, letter by letter. */
export function routeOf(address: string, target?: unknown): RelayOperation | undefined {
  const path = plainPathOf(address, target);
  const last = path?.slice(path.lastIndexOf('/') + 1);
  return SERVED.find((name) => operations[name].path === last);
}
