import type { Logger } from '../platform/logger.js';
import { originProblem } from './origin.js';

const MOST_NOTES = 10;
const LONGEST_HOST = 100;

const isHost = (text: string) => text.length <= LONGEST_HOST && /^[\w.:[\]-]+$/.test(text);

/**
 * The page is told nothing of why it is refused, so the operator is: a framework or proxy that hides the address that the browser
 * asked for makes the operator's own pages look like another site's. Each origin is named once, and no more than ten, since anybody can send one.
 */
export function createOriginNotes(logger: Required<Logger>): (request: Request) => void {
  const noted = new Set<string>();
  return (request) => {
    const origin = request.headers.get('origin') ?? '';
    const host = origin.replace(/^https?:\/\//, '');
    const { host: own } = new URL(request.url);
    if (!isHost(host) || !isHost(own) || noted.has(origin) || noted.size >= MOST_NOTES) return;
    noted.add(origin);
    const advice =
      originProblem(origin) === undefined
        ? `name it: createRelay({ allowedOrigins: ['${origin}'] }). It must be named where a framework gives requests another address than the browser's (Next.js says localhost) and where a proxy changes the Host header (Vite's server.proxy with changeOrigin: true)`
        : 'give it an https:// address: a relay takes http:// pages of loopback hosts only';
    logger.warn(`a page of ${origin} was refused, since this relay is asked as ${own}. If that page is yours, ${advice}`);
  };
}
