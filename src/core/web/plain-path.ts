/**
 * Characters that proxies, routers and servers read in different ways: encoded ones, backslashes, parameters such as
 * `;x=1`, empty segments.
 */
const AMBIGUOUS = /[%\\;]|\/\//;

/** The path of a request target, without the scheme and host of its absolute form. */
export const pathOfTarget = (target: string): string => target.replace(/^https?:\/\/[^/?#\\]*/i, '');

/**
 * Whether `URL` keeps a path unchanged. It resolves `..` and `%2e`, and turns a backslash into a slash; a proxy before
 * this server may not.
 */
function isUnchanged(target: string): boolean {
  const path = pathOfTarget(target);
  return path.startsWith('/') && !path.includes(';') && new URL(`http://server.localhost${path}`).pathname === path;
}

/**
 * The path of a request; undefined where it could be read in two ways, or has a query. `target` is the path as it came,
 * where that is known: the address of a `Request` is resolved already.
 */
export function plainPathOf(address: string, target?: unknown): string | undefined {
  const { pathname, search } = new URL(address);
  if (search !== '' || AMBIGUOUS.test(pathname)) return undefined;
  return typeof target === 'string' && !isUnchanged(target) ? undefined : pathname;
}
