/**
 * Whether this code runs for a visitor: in a page, in a worker that a page started, or in an app (React Native). Node.js, Deno, Bun and
 * Cloudflare Workers are not browsers; jsdom and happy-dom count as browsers (our decision).
 *
 * Workers are recognised by their user agent: in every browser it begins with "Mozilla/", and in no server runtime.
 */
export function isBrowser(): boolean {
  const scope: {
    document?: unknown;
    WorkerGlobalScope?: unknown;
    navigator?: { userAgent?: unknown; product?: unknown };
  } = globalThis;
  if (scope.document !== undefined || scope.navigator?.product === 'ReactNative') return true;
  return scope.WorkerGlobalScope !== undefined && String(scope.navigator?.userAgent).startsWith('Mozilla/');
}
