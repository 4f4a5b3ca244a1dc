import type { Logger } from '../platform/logger.js';
import { originProblem } from './origin.js';

const MOST_NOTES = 10;
const LONGEST_HOST = 100;

const isHost = (text: string) => text.length <= LONGEST_HOST && /^[\w.:[\]-]+$/.test(text);

/**
 * The page does not get the reason of a refusal, so the operator does. A framework or proxy that hides the requested
 * address makes the operator's own pages look like another site. Each origin is logged once, and at most ten, since any
 * client can send one.
 */
export function createOriginNotes(logger: Required<Logger>, what: 'relay' | 'console' = 'relay'): (request: Request) => void {
  const noted = new Set<string>();
  return (request) => {
    const origin = request.headers.get('origin') ?? '';
    const host = origin.replace(/^https?:\/\//, '');
    const { host: own } = new URL(request.url);
    if (!isHost(host) || !isHost(own) || noted.has(origin) || noted.size >= MOST_NOTES) return;
    noted.add(origin);
    const advice =
      originProblem(origin) === undefined
        ? `name it: ${what === 'relay' ? 'createRelay' : 'createConsole'}({ allowedOrigins: ['${origin}'] }). It must be named if a framework gives requests another address than the browser's (Next.js says localhost), or if a proxy changes the Host header (Vite's server.proxy with changeOrigin: true)`
        : `give it an https:// address: a ${what} accepts http:// pages of loopback hosts only`;
    logger.warn(`a page of ${origin} was refused, since this ${what} was requested as ${own}. If that page is yours, ${advice}`);
  };
}
