import { GATEWAY_PATH } from './operations.js';

/** How a base address is used, or what is wrong with it. */
export interface BaseUrl {
  readonly baseUrl?: string;
  readonly problem?: string;
}

/** `/integration-gateway/external` at the end, in whole or in part. */
const WRITTEN_OUT = new RegExp(`(${GATEWAY_PATH.replace(/(\/[^/]+)\/$/, '($1)?')})?/*$`);

/**
 * Reads a base address. `/integration-gateway/external` at its end is taken off, since the specification shows
 * the address both with and without it and it must appear once.
 */
export function readBaseUrl(text: string, allowInsecureHttp: boolean): BaseUrl {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { problem: 'is not an address such as https://gateway.example.com or http://127.0.0.1:4010' };
  }
  if (url.username || url.password || /[?#]/.test(text)) return { problem: 'holds a user name, a password, a query or a fragment; give the bare address' };
  const loopback = /^(.+\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (loopback || allowInsecureHttp))) {
    return { problem: 'must begin with https:// (http:// is for loopback hosts, and for staging with allowInsecureHttp: true)' };
  }
  return { baseUrl: url.origin + url.pathname.replace(WRITTEN_OUT, '') };
}
