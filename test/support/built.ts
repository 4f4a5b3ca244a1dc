import { isStale } from '../../scripts/build-if-stale.js';

/** An old build proves nothing. */
export function expectFreshBuild(): void {
  if (isStale()) throw new Error('dist/ is missing, or older than what it is built from: run "npm run build" first.');
}
