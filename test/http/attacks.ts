/** The reason of a refusal. Relay and console have their own words for each. */
export type Refused = 'origin' | 'media-type' | 'method' | 'address';

/** A change of the request that a page sends. */
export interface Changed {
  url?: string;
  method?: string;
  /** A header that is undefined is left out. */
  headers?: Record<string, string | undefined>;
}

export type Attack = readonly [name: string, changed: Changed, refused: Refused];

const EVIL = 'https://evil.example';
const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'OPTIONS'];

/**
 * The requests that neither relay nor console accepts, with any body. `folder` and `name` are the parts of
 * the address of a call.
 */
export function attacksOn(folder: string, name: string): readonly Attack[] {
  const { origin: site, host } = new URL(folder);
  const by = (headers: Record<string, string | undefined>): Changed => ({ headers });
  const at = (url: string): Changed => ({ url });
  const call = `${folder}/${name}`;
  const within = folder.slice(folder.lastIndexOf('/'));
  const above = folder.slice(0, -within.length);
  return [
    ['a foreign origin', by({ origin: EVIL, 'sec-fetch-site': 'cross-site' }), 'origin'],
    ['a forged origin without Sec-Fetch-Site', by({ origin: EVIL, 'sec-fetch-site': undefined }), 'origin'],
    ['a forged origin that claims to be the same', by({ origin: EVIL }), 'origin'],
    ['an origin that begins like its own', by({ origin: `${site}.evil.example` }), 'origin'],
    ['an origin that ends like its own', by({ origin: `https://not${host}` }), 'origin'],
    ['an origin with another port', by({ origin: `${site}:8443` }), 'origin'],
    ['an origin with a user name', by({ origin: `https://x@${host}` }), 'origin'],
    ['its own host over plain http', by({ origin: `http://${host}`, 'sec-fetch-site': undefined }), 'origin'],
    ['the origin null of a sandboxed frame', by({ origin: 'null' }), 'origin'],
    ['two origins', by({ origin: `${site}, ${EVIL}` }), 'origin'],
    ['a page of the same site', by({ 'sec-fetch-site': 'same-site' }), 'origin'],
    ['another site with its own origin', by({ 'sec-fetch-site': 'cross-site' }), 'origin'],
    ['a request from no page', by({ origin: undefined, 'sec-fetch-site': 'none' }), 'origin'],
    ['no header that names its origin', by({ origin: undefined, 'sec-fetch-site': undefined }), 'origin'],
    ['a forwarded host as the origin', by({ origin: EVIL, 'x-forwarded-host': 'evil.example' }), 'origin'],
    ['a form, which cannot set the header', by({ 'x-location-sdk': undefined }), 'origin'],
    ['another version in the header', by({ 'x-location-sdk': '2' }), 'origin'],
    ['the header twice', by({ 'x-location-sdk': '1, 1' }), 'origin'],
    ['plain text, which needs no preflight', by({ 'content-type': 'text/plain' }), 'media-type'],
    ['no content type', by({ 'content-type': '' }), 'media-type'],
    ['a form', by({ 'content-type': 'application/x-www-form-urlencoded' }), 'media-type'],
    ['a type that begins like JSON', by({ 'content-type': 'application/jsonp' }), 'media-type'],
    ['two types', by({ 'content-type': 'application/json, text/plain' }), 'media-type'],
    ['another charset', by({ 'content-type': 'application/json; charset=utf-16' }), 'media-type'],
    ['a compressed body', by({ 'content-encoding': 'gzip' }), 'media-type'],
    ...METHODS.map((method): Attack => [`the method ${method}`, { method }, 'method']),
    ['another method by a header', { method: 'GET', headers: { 'x-http-method-override': 'POST' } }, 'method'],
    ['the name of a member of all objects', at(`${folder}/constructor`), 'address'],
    ['an encoded slash', at(`${folder}%2F${name}`), 'address'],
    ['an encoded slash before', at(`${above}/x%2f..${within}/${name}`), 'address'],
    ['an encoded letter', at(`${folder}/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`), 'address'],
    ['an encoded zero', at(`${call}%00`), 'address'],
    ['an encoded backslash', at(`${folder}%5C${name}`), 'address'],
    ['an empty segment', at(`${above}/${within}/${name}`), 'address'],
    ['a parameter in the path', at(`${call};x=1`), 'address'],
    ['a parameter in the name of a folder', at(`${folder};x=1/${name}`), 'address'],
    ['a folder that is a parameter', at(`${folder}/;x=1/${name}`), 'address'],
    ['a file ending', at(`${call}.json`), 'address'],
    ['a query', at(`${call}?x=1`), 'address'],
  ];
}
