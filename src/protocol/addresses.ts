import { GATEWAY_PATH } from './operations.js';

/** How a base address is used, or what is wrong with it. */
export interface BaseUrl {
  readonly baseUrl: string | undefined;
  readonly problem: string | undefined;
}

/** Whether an address is on the same machine, whatever the network: `http:` is safe there. */
export const isLoopback = ({ hostname }: URL): boolean => /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);

/** `/integration-gateway/external` at the end, in whole or in part. */
const writtenOut = () => new RegExp(`(${GATEWAY_PATH.replace(/(\/[^/]+)\/$/, '($1)?')})?/*$`);

/**
 * Reads a base address. `/integration-gateway/external` at its end is taken off, since the specification shows
 * the address both with and without it and it must appear once.
 */
export const readBaseUrl = (text: string, allowInsecureHttp: boolean): BaseUrl =>
  readUrl(text, {
    example: 'https://gateway.example.com or http://127.0.0.1:4010',
    plainHttp: ', and for staging with allowInsecureHttp: true',
    ending: writtenOut(),
    allowInsecureHttp,
    base: undefined,
  });

/**
 * Reads the address of a relay, in a page also one without a host: it then belongs to the page's own address, whatever a
 * `<base>` says that somebody may have put there.
 */
export function readRelayUrl(text: string): BaseUrl {
  const { location }: { location?: { href?: string } } = globalThis;
  return readUrl(text, { example: 'https://operator.example.com/location-sdk', plainHttp: '', ending: /\/*$/, allowInsecureHttp: false, base: location?.href });
}

interface Reading {
  readonly example: string;
  /** Where `http:` is allowed beside loopback hosts, in words. */
  readonly plainHttp: string;
  readonly allowInsecureHttp: boolean;
  /** What is taken off. */
  readonly ending: RegExp;
  readonly base: string | undefined;
}

const refused = (problem: string): BaseUrl => ({ baseUrl: undefined, problem });

function readUrl(text: string, { example, plainHttp, allowInsecureHttp, ending, base }: Reading): BaseUrl {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return refused(`is not an address such as ${example}`);
  }
  if (url.username || url.password || /[?#]/.test(text)) return refused('holds a user name, a password, a query or a fragment; give the bare address');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isLoopback(url) || allowInsecureHttp))) {
    return refused(`must begin with https:// (http:// is for loopback hosts${plainHttp})`);
  }
  return { baseUrl: url.origin + url.pathname.replace(ending, ''), problem: undefined };
}
