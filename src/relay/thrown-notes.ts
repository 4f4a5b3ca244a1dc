import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';

const MOST_NOTES = 10;
const EVERY_MS = 60_000;

/**
 * Whoever is not logged in can make `authorize` throw as often as they like, so the same is said once a minute, and no
 * more than ten lines in one. Not once for ever: the session store may break again.
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
