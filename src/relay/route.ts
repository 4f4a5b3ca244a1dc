import { operations } from '../operations.js';
import type { RelayOperation } from './options.js';

const SERVED: readonly RelayOperation[] = ['reportBetEvent', 'reportWithdrawalEvent'];

/** What proxies, routers and servers read in different ways: encoded characters, backslashes, empty segments. */
const AMBIGUOUS = /[%\\]|\/\//;

/**
 * The operation that an address asks for: its last segment is the operation's path, letter by letter, below whatever
 * the relay is mounted at. Anything that could be read in two ways is no address of the relay's, nor is one with a query.
 */
export function routeOf(address: string): RelayOperation | undefined {
  const { pathname, search } = new URL(address);
  if (search !== '' || AMBIGUOUS.test(pathname)) return undefined;
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  return SERVED.find((name) => operations[name].path === last);
}
