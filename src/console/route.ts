import { plainPathOf } from '../relay/route.js';

/** The files of the page beside its HTML. */
export const FILES = ['console.js', 'console.css', 'console.svg'] as const;
export type FileName = (typeof FILES)[number];

/** An address of the console. */
export type Route =
  | {
      readonly kind: 'page';
      /** The folder of its files, seen from its own address. */
      readonly base: string;
    }
  | { readonly kind: 'file'; readonly name: FileName }
  | { readonly kind: 'call'; readonly name: string };

/** A mount point such as `/ops/console`, with or without a slash at its end; a name with a dot would be a file. */
const PAGE = /^(?:\/[\w.~@-]+)*\/(?:[\w~@-]*)$/;
const CALL = /\/api\/([a-z-]{1,40})$/;

/** The scheme and host of an absolute-form request target. */
const ORIGIN = /^https?:\/\/[^/?#\\]*/i;

/** Reads an address below any mount point. `target` is the path as the browser asked for it: Express takes the mount point from the other one. */
export function routeOf(address: string, target?: unknown): Route | undefined {
  const below = plainPathOf(address, target);
  if (below === undefined) return undefined;
  const path = typeof target === 'string' ? target.replace(ORIGIN, '') : below;
  const last = path.slice(path.lastIndexOf('/') + 1);
  const file = FILES.find((name) => name === last);
  if (file) return { kind: 'file', name: file };
  const call = CALL.exec(path)?.[1];
  if (call !== undefined) return { kind: 'call', name: call };
  // Relative, so that a proxy may take away what stands before it.
  return PAGE.test(path) ? { kind: 'page', base: last === '' ? './' : `./${last}/` } : undefined;
}
