/**
 * Whether this code runs for a visitor: in a page, or in a worker that a page started. Node.js, Deno, Bun and
 * Cloudflare Workers are not browsers; jsdom and happy-dom count as browsers (our decision).
 *
 * Workers are recognised by their user agent: in every browser it begins with "Mozilla/", and in no server runtime.
 */
export function isBrowser(): boolean {
  const scope: { document?: unknown; WorkerGlobalScope?: unknown; navigator?: { userAgent?: unknown } } = globalThis;
  if (scope.document !== undefined) return true;
  return scope.WorkerGlobalScope !== undefined && String(scope.navigator?.userAgent).startsWith('Mozilla/');
}
