import type { Logger } from '../platform/logger.js';

const MOST_NOTES = 10;
const LONGEST_HOST = 100;

const isHost = (text: string) => text.length <= LONGEST_HOST && /^[\w.:[\]-]+$/.test(text);

/**
 * The page is told nothing of why it is refused, so the operator is: a proxy that changes the Host header makes the
 * operator's own pages look like another site's. Each origin is named once, and no more than ten, since anybody can send one.
 */
export function createOriginNotes(logger: Required<Logger>): (request: Request) => void {
  const noted = new Set<string>();
  return (request) => {
    const origin = request.headers.get('origin') ?? '';
    const host = origin.replace(/^https?:\/\//, '');
    const { host: own } = new URL(request.url);
    if (!isHost(host) || !isHost(own) || noted.has(origin) || noted.size >= MOST_NOTES) return;
    noted.add(origin);
    logger.warn(
      `a page of ${origin} was refused, since this relay is asked as ${own}. If that page is yours, let the proxy pass the Host header on, or name the origin in allowedOrigins`,
    );
  };
}
