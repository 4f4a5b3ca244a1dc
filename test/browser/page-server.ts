import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { listen } from '../support/listen.js';
import { INSECURE_HOST } from './chromium.js';
import { readScript } from './script-file.js';

export interface PageServer {
  /** A secure context: browsers trust loopback like `https:`. */
  readonly url: string;
  /** The same pages under a name, over plain `http:`: not a secure context. */
  readonly insecureUrl: string;
  close(): Promise<void>;
}

const SCRIPT = '/location-sdk.global.js';
const TAG = `<script src="${SCRIPT}"></script>`;

/** Makes a client and calls it once for each message. */
const WORKER = `
importScripts('${SCRIPT}');
onmessage = async ({ data: { name, options, payload, callOptions } }) => {
  try {
    postMessage({ result: await LocationSDK.createClient(options)[name](payload, callOptions) });
  } catch (error) {
    postMessage({ error: error.toJSON() });
  }
};`;

const javascript = (body: string): Served => ({ body, headers: { 'content-type': 'text/javascript; charset=utf-8' } });

const html = (...tags: string[]) =>
  `<!doctype html><html lang="en"><head><title>Operator</title>${tags.join('')}</head><body></body></html>`;

interface Served {
  body: string;
  headers?: OutgoingHttpHeaders;
}

/** Serves an operator's pages. `connect` is the list of hosts for the page with the strict policy. */
export async function servePages(connect: readonly string[]): Promise<PageServer> {
  const policy = `default-src 'none'; script-src 'self'; connect-src ${connect.join(' ')}`;
  const served: Record<string, Served> = {
    '/': { body: html(TAG) },
    '/empty': { body: html() },
    '/twice': { body: html(TAG, TAG) },
    '/strict-policy': { body: html(TAG), headers: { 'content-security-policy': policy } },
    '/without-geolocation': { body: html(TAG), headers: { 'permissions-policy': 'geolocation=()' } },
    '/with-loose-referrer': { body: html(TAG), headers: { 'referrer-policy': 'unsafe-url' } },
    // Some browsers request it, and log an error if there is none.
    '/favicon.ico': { body: '', headers: { 'content-type': 'image/x-icon' } },
    '/worker.js': javascript(WORKER),
    [SCRIPT]: javascript(readScript()),
  };
  const server = createServer(({ url = '/' }, response) => {
    const found = served[new URL(url, 'http://operator.test').pathname];
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', ...found?.headers });
    response.end(found?.body);
  });
  const { url, port, close } = await listen(server);
  return { url, insecureUrl: `http://${INSECURE_HOST}:${port}`, close };
}
