import { senderOf } from '../relay/origin.js';
import { type ConsoleAnswer, refusals } from './answers.js';
import { type Route, routeOf } from './route.js';

/** The route of a request, or its refusal. */
export type Admitted =
  | { readonly route: Route; readonly refused?: undefined }
  | { readonly refused: ConsoleAnswer; readonly foreign?: true; readonly route?: undefined };

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** A file is for the console's own page; a browser says so, and one that says nothing is an old one or a tool. */
const OWN_OR_SILENT = [null, 'same-origin', 'none'];

/** The checks that need nothing but address and headers, in the order of their answers: address, method, origin, header, media type. */
export function admit(request: Request, allowedOrigins: ReadonlySet<string>, target?: unknown): Admitted {
  const route = routeOf(request.url, target);
  if (!route) return { refused: refusals.noSuchPath };
  const { method, headers } = request;
  if (route.kind !== 'call') {
    if (method !== 'GET') return { refused: refusals.method('GET') };
    const site = headers.get('sec-fetch-site');
    if (route.kind === 'file') return OWN_OR_SILENT.includes(site) ? { route } : { refused: refusals.foreign };
    // A link elsewhere may lead to the page; a frame, a script or a form of another page may not.
    const isOpened = [null, 'navigate'].includes(headers.get('sec-fetch-mode')) && [null, 'document'].includes(headers.get('sec-fetch-dest'));
    return isOpened ? { route } : { refused: refusals.foreign };
  }
  if (method !== 'POST') return { refused: refusals.method('POST') };
  if (senderOf(request, allowedOrigins).kind === 'refused') return { refused: refusals.foreign, foreign: true };
  // No form can send it, and a page of another origin would have to ask first; the console never answers that question.
  if (headers.get('x-location-sdk') !== '1') return { refused: refusals.foreign };
  const isJson = JSON_TYPE.test(headers.get('content-type') ?? '') && !headers.has('content-encoding');
  return isJson ? { route } : { refused: refusals.mediaType };
}
