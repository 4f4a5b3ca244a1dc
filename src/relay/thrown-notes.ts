import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';

const MOST_NOTES = 10;
const EVERY_MS = 60_000;

/**
 * Logs the errors of `authorize`. A visitor without a session can cause any number of them, so each line is logged once a minute,
 * and at most ten lines a minute. After a minute a line may be logged again, since the session store may break again.
 */
export function createThrownNotes(logger: Required<Logger>, clock: Clock): (line: string) => void {
  const noted = new Set<string>();
  let since = clock.now();
  return (line) => {
    if (clock.now() - since >= EVERY_MS) {
      noted.clear();
      since = clock.now();
    }
    if (noted.has(line) || noted.size >= MOST_NOTES) return;
    noted.add(line);
    logger.warn(line);
  };
}
