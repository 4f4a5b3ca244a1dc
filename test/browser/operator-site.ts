import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { listen } from '../support/listen.js';
import { readScript } from './script-file.js';

/** A request that reached the relay. */
export interface RelayRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/**
 * The relay's reaction to a request. `'lost'`: it accepts the report and the connection breaks. `'held'`: no answer
 * yet.
 */
export type RelayAnswer = { status: number; body: unknown } | 'lost' | 'held';

export interface OperatorSite {
  readonly url: string;
  /** The same site on another port: another origin for the relay. */
  readonly otherUrl: string;
  readonly requests: RelayRequest[];
  /** The reports that the gateway behind the relay has recorded, by reference. */
  readonly held: Map<string, string>;
  /** The answers to the next requests. Later ones are answered like by a relay with a working gateway. */
  readonly script: RelayAnswer[];
  close(): Promise<void>;
}

const sha = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;

/** Calls the stub, and records the results and the order of the calls. */
const EARLY = `
window.ended = [];
const note = (name) => (value) => ended.push([name, value && (value.code ?? value.outcome)]);
const early = LocationSDK.createClient({ relayUrl: '/location-sdk' });
early.reportBetEvent({ bet_id: 'B-2', amount: 1500 }).then(note('bet of a client'));
early.reportSettledBet({}).catch(note('settlement'));
LocationSDK.createClient({ relayUrl: 3 }).locate().catch(note('wrong options'));
LocationSDK.configure({ relayUrl: '/location-sdk' }).then(note('configure'));
LocationSDK.reportBetEvent({ bet_id: 'B-1', amount: 1500 }).then(note('bet'));
LocationSDK.reportWithdrawalEvent({ request_id: 'W-1', amount: 3 }).then(note('withdrawal'));
LocationSDK.reportBetEvent({ amount: 1500 }).catch(note('wrong'));
`;

/** An operator's site with a relay that speaks the wire format, over real connections. Each page has its own policy. */
export async function serveOperator(): Promise<OperatorSite> {
  const requests: RelayRequest[] = [];
  const held = new Map<string, string>();
  const script: RelayAnswer[] = [];

  const sdk = readScript();
  const stub = readScript('location-sdk.stub.global.js');
  const tag = (how = '') =>
    `<script ${how} src="/location-sdk.global.js" integrity="${sha(sdk)}" crossorigin="anonymous"></script>`;
  const early = '<script src="/stub.js"></script><script src="/early.js"></script>';
  const policy = (scripts: string) =>
    `default-src 'none'; script-src ${scripts}; connect-src 'self' http://127.0.0.1:*`;
  const page = (body: string, scripts = "'self'") => ({
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="en"><head><title>Operator</title><link rel="icon" href="data:,">${body}</head><body></body></html>`,
    headers: { 'content-security-policy': `${policy(scripts)}; img-src data:` },
  });
  const javascript = (body: string) => ({ type: 'text/javascript; charset=utf-8', body, headers: {} });
  const files: Record<string, { type: string; body: string; headers: OutgoingHttpHeaders }> = {
    '/': page(tag()),
    '/by-hash': page(tag(), `'${sha(sdk)}'`),
    '/async': page(`${early}${tag('async')}`),
    '/defer': page(`${early}${tag('defer')}`),
    '/inline-stub': page(`<script>${stub}</script>${tag('async')}`, `'self' '${sha(stub)}'`),
    '/stub-last': page(`${tag()}<script src="/stub.js"></script>`),
    '/stub-alone': page('<script src="/stub.js"></script>'),
    '/never': page('<script src="/stub.js" data-timeout-ms="300"></script>'),
    '/for-weeks': page('<script src="/stub.js" data-timeout-ms="3000000000"></script>'),
    '/twice': page(`${tag()}${tag('async')}`),
    '/elsewhere': page(''),
    '/location-sdk.global.js': javascript(sdk),
    '/stub.js': javascript(stub),
    '/early.js': javascript(EARLY),
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://operator.test');
    if (pathname.startsWith('/location-sdk/')) return relay(request, response, pathname);
    const file = files[pathname];
    response.writeHead(file ? 200 : 404, { 'content-type': file?.type, ...file?.headers });
    response.end(file?.body);
  };

  async function relay(request: IncomingMessage, response: ServerResponse, path: string) {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const { method = '', headers } = request;
    requests.push({ method, path, headers, body });
    const cors = { 'access-control-allow-origin': headers.origin ?? '', 'access-control-allow-credentials': 'true' };
    if (method === 'OPTIONS') {
      // Each report over its own connection: if a kept-alive one breaks, a browser would repeat the request by itself.
      response.writeHead(204, {
        ...cors,
        'access-control-allow-headers': 'content-type, x-location-sdk',
        connection: 'close',
      });
      return response.end();
    }
    const answer = script.shift() ?? take(path, body);
    if (answer === 'held') return;
    if (answer === 'lost') {
      take(path, body);
      return response.destroy();
    }
    const isOwn = typeof answer.body !== 'string';
    const text = isOwn ? JSON.stringify(answer.body) : String(answer.body);
    // With its length, so that a page that is not JSON counts as complete.
    response.writeHead(answer.status, {
      ...cors,
      ...(isOwn && { 'x-location-sdk': '1', 'access-control-expose-headers': 'x-location-sdk' }),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }

  /** Like a relay whose gateway works. */
  function take(path: string, body: string): Exclude<RelayAnswer, string> {
    const operation = path.endsWith('report-bet-event') ? 'reportBetEvent' : 'reportWithdrawalEvent';
    const { bet_id, request_id, location } = JSON.parse(body);
    const reference = bet_id ?? request_id;
    const before = held.get(reference);
    if (before !== undefined) {
      const error = {
        code: 'duplicate',
        message: 'The gateway holds it.',
        outcome: 'rejected',
        reference,
        conflict: before !== body,
      };
      return { status: 409, body: { error } };
    }
    held.set(reference, body);
    const found = location ?? { latitude: 6.4, longitude: 3.4, source: 'client_ip' };
    return {
      status: 200,
      body: { outcome: 'recorded', operation, reference, environment: 'staging', attempts: 1, location: found },
    };
  }

  const [site, other] = await Promise.all([listen(createServer(serve)), listen(createServer(serve))]);
  const close = async () => void (await Promise.all([site.close(), other.close()]));
  return { url: site.url, otherUrl: other.url, requests, held, script, close };
}
