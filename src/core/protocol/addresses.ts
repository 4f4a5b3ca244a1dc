import { isBrowser } from '../platform/runtime.js';
import { unlessThrown } from '../platform/unless-thrown.js';

export interface BaseUrl {
  readonly baseUrl: string | undefined;
  readonly problem: string | undefined;
}

/** Whether an address is on the same machine: `http:` is safe there. */
export const isLoopback = ({ hostname }: { readonly hostname: string }): boolean =>
  /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);

const GATEWAY = {
  example: 'https://gateway.example.com or http://127.0.0.1:4010',
  plainHttp: ', and for staging with allowInsecureHttp: true',
  onNetwork: '',
  ending: /(\/integration-gateway(\/external)?)?\/*$/,
};

const RELAY = {
  example: 'https://operator.example.com/location-sdk',
  plainHttp: '',
  // Usually a developer's own page, opened on a phone by the address of the developer's machine.
  onNetwork: '. For a phone in your network: a development certificate, a tunnel, or adb reverse',
  ending: /\/*$/,
};

/**
 * `/integration-gateway/external` at the end is removed: the specification shows the address both with and without it,
 * and it must appear once.
 */
export const readBaseUrl = (text: string, allowInsecureHttp: boolean): BaseUrl =>
  readUrl(text, GATEWAY, allowInsecureHttp);

/**
 * An address without a host is on the page's own host; a `<base>` element changes nothing, since an attacker may have
 * added it. Without a page it has neither an address nor a problem: a module that makes a client also runs on servers
 * that render pages.
 */
export function readRelayUrl(text: string): BaseUrl {
  if (parse(text)) return readUrl(text, RELAY);
  const alone = readUrl(text, RELAY, false, 'https://page.invalid');
  if (alone.problem !== undefined) return alone;
  const { location }: { location?: { href?: string } } = globalThis;
  const page = location?.href;
  if (page === undefined && !isBrowser()) return { baseUrl: undefined, problem: undefined };
  // An app, or a page without an address of its own, for example about:srcdoc.
  const url = page === undefined ? undefined : parse(text, page);
  if (!url)
    return refused(
      `has no host, and ${page === undefined ? 'an app' : new URL(page).protocol} has no address; give the whole address`,
    );
  const { protocol, host, pathname } = url;
  const read = readUrl(text, RELAY, false, page);
  return read.problem === undefined
    ? read
    : refused(`is ${protocol}//${host}${pathname} in this page: it ${read.problem}`);
}

/** React Native's `URL` takes any text, so the form is checked before: without a base it begins with a scheme. */
const parse = (text: string, base?: string): URL | undefined =>
  (base === undefined ? /^[a-z][a-z\d+.-]*:\S*$/i : /^\S*$/).test(text.trim())
    ? unlessThrown(() => new URL(text, base))
    : undefined;

/** A host, which React Native's `URL` does not check, and reads from the wrong place if there is an `@` in the path. */
const ORIGIN = /^https?:\/\/([\w.\u0080-\uffff-]+|\[.+])(:\d+)?$/;

const refused = (problem: string): BaseUrl => ({ baseUrl: undefined, problem });

function readUrl(
  text: string,
  { example, plainHttp, onNetwork, ending }: typeof GATEWAY,
  allowInsecureHttp = false,
  base?: string,
): BaseUrl {
  const url = parse(text, base);
  const notAnAddress = refused(`is not an address such as ${example}`);
  if (!url) return notAnAddress;
  if (url.username || url.password || /[?#]/.test(text))
    return refused('contains a user name, a password, a query or a fragment; give only the address');
  const isHttp = url.protocol === 'http:';
  const [, hostname = ''] = ORIGIN.exec(url.origin) ?? [];
  if (url.protocol !== 'https:' && !(isHttp && (isLoopback({ hostname }) || allowInsecureHttp)))
    return refused(`must begin with https:// (http:// is for loopback hosts${plainHttp})${isHttp ? onNetwork : ''}`);
  if (!hostname) return notAnAddress;
  return { baseUrl: url.origin + url.pathname.replace(ending, ''), problem: undefined };
}
