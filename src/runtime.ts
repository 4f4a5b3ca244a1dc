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

/** The environment variables of Node.js; empty elsewhere, and where reading them is not allowed. */
export function environmentVariables(): Readonly<Record<string, string | undefined>> {
  const scope: { process?: { env?: Record<string, string | undefined>; versions?: { node?: string } } } = globalThis;
  try {
    return (!isBrowser() && scope.process?.versions?.node && scope.process.env) || {};
  } catch {
    return {};
  }
}
