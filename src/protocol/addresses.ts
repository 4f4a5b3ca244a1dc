import { GATEWAY_PATH } from './operations.js';

/** The use of a base address, or what is wrong with it. */
export interface BaseUrl {
  readonly baseUrl: string | undefined;
  readonly problem: string | undefined;
}

/** Whether an address is on the same machine: `http:` is safe there. */
export const isLoopback = ({ hostname }: URL): boolean => /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);

/** `/integration-gateway/external` at the end, in whole or in part. */
const writtenOut = () => new RegExp(`(${GATEWAY_PATH.replace(/(\/[^/]+)\/$/, '($1)?')})?/*$`);

/**
 * Reads a base address. `/integration-gateway/external` at its end is removed: the specification shows the address both
 * with and without it, and it must appear once.
 */
export const readBaseUrl = (text: string, allowInsecureHttp: boolean): BaseUrl =>
  readUrl(text, {
    example: 'https://gateway.example.com or http://127.0.0.1:4010',
    plainHttp: ', and for staging with allowInsecureHttp: true',
    advice: '',
    ending: writtenOut(),
    allowInsecureHttp,
    base: undefined,
  });

/**
 * An `http:` address that is not safe is usually a developer's own page, opened on a phone by the address of the
 * developer's machine.
 */
const NOT_ON_A_NETWORK =
  '. For a phone in your network: a development certificate, a tunnel, or adb reverse and http://localhost; other http:// pages get no position';

const RELAY = {
  example: 'https://operator.example.com/location-sdk',
  plainHttp: '',
  advice: NOT_ON_A_NETWORK,
  ending: /\/*$/,
  allowInsecureHttp: false,
};

/**
 * Reads the address of a relay. An address without a host is on the page's own host; a `<base>` element changes
 * nothing, since an attacker may have added it. Without a page it has neither an address nor a problem: a module that
 * makes a client also runs on servers that render pages.
 */
export function readRelayUrl(text: string): BaseUrl {
  if (isUrl(text)) return readUrl(text, { ...RELAY, base: undefined });
  const alone = /\s/.test(text.trim())
    ? refused(`is not an address such as ${RELAY.example}`)
    : readUrl(text, { ...RELAY, base: 'https://page.invalid' });
  if (alone.problem !== undefined) return alone;
  const { location }: { location?: { href?: string } } = globalThis;
  const page = location?.href;
  if (page === undefined) return { baseUrl: undefined, problem: undefined };
  // A page without an address of its own, for example about:srcdoc.
  if (!isUrl(text, page))
    return refused(`has no host, and this page has no address (${new URL(page).protocol}); give the whole address`);
  const read = readUrl(text, { ...RELAY, base: page });
  const { protocol, host, pathname } = new URL(text, page);
  return read.problem === undefined
    ? read
    : refused(`is ${protocol}//${host}${pathname} in this page: it ${read.problem}`);
}

function isUrl(text: string, base?: string): boolean {
  try {
    return Boolean(new URL(text, base));
  } catch {
    return false;
  }
}

interface Reading {
  readonly example: string;
  /** The hosts besides loopback for which `http:` is allowed, in words. */
  readonly plainHttp: string;
  /** The advice for an address that begins with http://. */
  readonly advice: string;
  readonly allowInsecureHttp: boolean;
  /** The part that is removed. */
  readonly ending: RegExp;
  readonly base: string | undefined;
}

const refused = (problem: string): BaseUrl => ({ baseUrl: undefined, problem });

function readUrl(text: string, { example, plainHttp, advice, allowInsecureHttp, ending, base }: Reading): BaseUrl {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return refused(`is not an address such as ${example}`);
  }
  if (url.username || url.password || /[?#]/.test(text))
    return refused('contains a user name, a password, a query or a fragment; give only the address');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isLoopback(url) || allowInsecureHttp))) {
    return refused(
      `must begin with https:// (http:// is for loopback hosts${plainHttp})${url.protocol === 'http:' ? advice : ''}`,
    );
  }
  return { baseUrl: url.origin + url.pathname.replace(ending, ''), problem: undefined };
}
