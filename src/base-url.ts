import { GATEWAY_PATH } from './operations.js';

const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/**
 * Reads a base address: how it is used, or what is wrong with it. `/integration-gateway/external` at its end is
 * taken off, since the specification shows the address both with and without it and it must appear once.
 */
export function readBaseUrl(text: string, allowInsecureHttp: boolean): { baseUrl: string } | { problem: string } {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { problem: 'is not an address; expected something like https://gateway.example.com' };
  }
  if (url.username || url.password) return { problem: 'holds a user name or a password; the key belongs in apiKey' };
  if (/[?#]/.test(text)) return { problem: 'holds a query or a fragment; expected an address that paths can be added to' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'must begin with https://' };
  if (url.protocol === 'http:' && !allowInsecureHttp && !LOOPBACK.test(url.hostname)) {
    return { problem: 'must begin with https://, since the key and personal data travel there (allowInsecureHttp: true allows http: for staging)' };
  }
  const [root = '', external = ''] = GATEWAY_PATH.split('/').filter(Boolean);
  const path = url.pathname.replace(new RegExp(`(?:/${root}(?:/${external})?)?/*$`), '');
  return { baseUrl: url.origin + path };
}
