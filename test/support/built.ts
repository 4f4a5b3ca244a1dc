import { isStale } from '../../build/build-if-stale.js';

/** Checking the age of every source takes longer than most tests, so a process does it once. */
let isFresh = false;

/** An outdated build proves nothing. */
export function expectFreshBuild(): void {
  isFresh ||= !isStale();
  if (!isFresh) throw new Error('dist/ is missing, or older than what it is built from: run "npm run build" first.');
}
