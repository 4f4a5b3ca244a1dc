import type { Answer } from '../web/answer.js';
import { senderOf } from '../web/origin.js';
import { declaresJson } from '../web/read-json.js';
import { pathOfTarget, plainPathOf } from '../web/request.js';
import { refusals } from './answers.js';
import { type FileName, isFile } from './files.js';

export type Route =
  | {
      readonly kind: 'page';
      /** The folder of its files, relative to the address of the page. */
      readonly base: string;
    }
  | { readonly kind: 'file'; readonly name: FileName }
  | { readonly kind: 'call'; readonly name: string };

/** The path of the page: a mount point such as `/ops/console` or `/ops/console/`. A name with a dot is a file. */
const PAGE = /^(?:\/[\w.~@-]+)*\/(?:[\w~@-]*)$/;
const CALL = /\/api\/([a-z-]{1,40})$/;

/**
 * Reads an address below any mount point. `target` is the path as the browser requested it: Express removes the mount
 * point from `address`.
 */
export function routeOf(address: string, target?: unknown): Route | undefined {
  const below = plainPathOf(address, target);
  if (below === undefined) return undefined;
  const path = typeof target === 'string' ? pathOfTarget(target) : below;
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (isFile(last)) return { kind: 'file', name: last };
  const call = CALL.exec(path)?.[1];
  if (call !== undefined) return { kind: 'call', name: call };
  // Relative, since a proxy may remove the begin of the path.
  return PAGE.test(path) ? { kind: 'page', base: last === '' ? './' : `./${last}/` } : undefined;
}

export type Admitted =
  | { readonly route: Route; readonly refused?: undefined }
  | { readonly refused: Answer; readonly foreign?: true; readonly route?: undefined };

/** The `Sec-Fetch-Site` of files that the page itself loads. Old browsers and tools send none. */
const OWN_OR_SILENT = [null, 'same-origin', 'none'];

/** The route of a request, or its refusal: the checks that need nothing but address and headers. */
export function admit(request: Request, allowedOrigins: ReadonlySet<string>, target?: unknown): Admitted {
  const route = routeOf(request.url, target);
  if (!route) return { refused: refusals.noSuchPath };
  const { method, headers } = request;
  if (route.kind !== 'call') {
    if (method !== 'GET') return { refused: refusals.method('GET') };
    const site = headers.get('sec-fetch-site');
    if (route.kind === 'file') return OWN_OR_SILENT.includes(site) ? { route } : { refused: refusals.foreign };
    // Another site may link to the page, but not load it in a frame, as a script or with a form.
    const isOpened =
      [null, 'navigate'].includes(headers.get('sec-fetch-mode')) &&
      [null, 'document'].includes(headers.get('sec-fetch-dest'));
    return isOpened ? { route } : { refused: refusals.foreign };
  }
  if (method !== 'POST') return { refused: refusals.method('POST') };
  if (senderOf(request, allowedOrigins).kind === 'refused') return { refused: refusals.foreign, foreign: true };
  // A form cannot send this header, and a page of another origin needs a preflight, which the console never answers.
  if (headers.get('x-location-sdk') !== '1') return { refused: refusals.foreign };
  return declaresJson(request) ? { route } : { refused: refusals.mediaType };
}
