/**
 * Whether this code runs for a visitor: a page, or a worker that a page started. Node.js, Deno, Bun and
 * Cloudflare Workers are not browsers; jsdom and happy-dom count as browsers (our decision).
 *
 * Workers are told by their user agent, which every browser begins with "Mozilla/" and no server runtime does.
 */
export function isBrowser(): boolean {
  const scope: { document?: unknown; WorkerGlobalScope?: unknown; navigator?: { userAgent?: unknown } } = globalThis;
  if (scope.document !== undefined) return true;
  return scope.WorkerGlobalScope !== undefined && String(scope.navigator?.userAgent).startsWith('Mozilla/');
}
