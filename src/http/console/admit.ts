import { refuse } from '../../core/web/answer.js';
import { senderOf } from '../../core/web/origin.js';
import { pathOfTarget, plainPathOf } from '../../core/web/plain-path.js';
import { declaresJson } from '../../core/web/read-json.js';
import { refusals } from './answers.js';
import { type FileName, isFile } from './files.js';

export type Route =
  | {
      readonly kind: 'page';
      /** The folder of its files, relative to its address. */
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

/** The checks that need only address and headers. `noteOrigin` is called if the request came from another site. */
export function admit(
  request: Request,
  allowedOrigins: ReadonlySet<string>,
  noteOrigin: (request: Request) => void,
  target?: unknown,
): Route {
  const route = routeOf(request.url, target) ?? refuse(refusals.noSuchPath);
  if (route.kind === 'page') admitPage(request);
  else if (route.kind === 'file') admitFile(request);
  else {
    if (request.method !== 'POST') refuse(refusals.method('POST'));
    const { kind } = senderOf(request, allowedOrigins);
    if (kind === 'refused' || kind === 'none') {
      noteOrigin(request);
      refuse(refusals.foreign);
    }
    // A form cannot send this header, and a page of another origin needs a preflight, which the console never answers.
    if (request.headers.get('x-location-sdk') !== '1') refuse(refusals.foreign);
    if (!declaresJson(request)) refuse(refusals.mediaType);
  }
  return route;
}

/** Another site may link to the page, but not load it in a frame, as a script or with a form. */
function admitPage({ method, headers }: Request): void {
  if (method !== 'GET') refuse(refusals.method('GET'));
  const { mode, dest } = fetchMetadata(headers);
  if (mode !== 'navigate' || dest !== 'document') refuse(refusals.foreign);
}

function admitFile({ method, headers }: Request): void {
  if (method !== 'GET') refuse(refusals.method('GET'));
  const { site } = fetchMetadata(headers);
  if (site !== 'same-origin' && site !== 'none') refuse(refusals.foreign);
}

/** How the browser says that it loads something. Old browsers and tools say nothing: they count as a person's. */
const fetchMetadata = (headers: Headers) => ({
  site: headers.get('sec-fetch-site') ?? 'none',
  mode: headers.get('sec-fetch-mode') ?? 'navigate',
  dest: headers.get('sec-fetch-dest') ?? 'document',
});
