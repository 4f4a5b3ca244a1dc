import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { systemClock, withTimeout } from '../../platform/time.js';
import { judgeCertificate, readCertificate, systemCodeOf } from './certificate.js';
import type { Run } from './run.js';

const SECTION = 'Reachability';
const MOST_ADDRESSES = 3;

/** Whether the gateway's name, port and certificate are in order. Each is tested alone, so that a failure shows which one is wrong. */
export async function reach(run: Run): Promise<boolean> {
  const url = new URL(run.gateway.baseUrl);
  if (run.ownFetch) {
    run.tell(SECTION, 'skip', 'name, port, certificate', 'the options set fetch or transport, which makes its own connections');
    return true;
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  if (!(await resolveName(run, host)) || !(await openPort(run, host, port))) return false;
  if (secure) return checkCertificate(run, host, port);
  run.tell(
    SECTION,
    'warn',
    'TLS',
    'none: the address begins with http://, so the key can be read on its way',
    'fine for a mock gateway; otherwise use https://',
  );
  return true;
}

/** The limit of one request. The limit of the whole run applies, too. */
const limitOf = ({ requestMs, signal }: Run) => ({ clock: systemClock, milliseconds: requestMs, signal });

async function resolveName(run: Run, host: string): Promise<boolean> {
  if (isAddress(host)) {
    run.tell(SECTION, 'ok', 'name', `${host} is an address already`);
    return true;
  }
  const began = performance.now();
  const found = await withTimeout(() => lookup(host, { all: true }), limitOf(run));
  if (found.ended === 'done') {
    const addresses = found.value.map(({ address }) => address);
    const shown = addresses.slice(0, MOST_ADDRESSES).join(', ') + (addresses.length > MOST_ADDRESSES ? ` and ${addresses.length - MOST_ADDRESSES} more` : '');
    run.tell(SECTION, 'ok', 'name', `${host} is ${shown} (${elapsed(began)})`);
    return true;
  }
  const why = found.ended === 'failed' ? systemCodeOf(found.error) : 'no answer of the name server in time';
  run.tell(
    SECTION,
    'fail',
    'name',
    `${host} cannot be resolved (${why})`,
    `${proxyAdvice()}is the base address spelt right, and does this machine use the right name server?`,
  );
  return false;
}

const elapsed = (began: number): string => `${Math.round(performance.now() - began)} ms`;

/** Opens a connection, uses it, and always closes it. */
async function withSocket<T extends Socket, R>(run: Run, open: () => T, event: string, use: (socket: T) => R) {
  let socket: T | undefined;
  const result = await withTimeout(
    () =>
      new Promise<R>((resolve, reject) => {
        const opened = open();
        socket = opened;
        opened.once(event, () => resolve(use(opened)));
        opened.on('error', reject);
      }),
    limitOf(run),
  );
  socket?.destroy();
  return result;
}

async function openPort(run: Run, host: string, port: number): Promise<boolean> {
  const began = performance.now();
  const opened = await withSocket(
    run,
    () => connect({ host, port }),
    'connect',
    () => true,
  );
  if (opened.ended === 'done') {
    run.tell(SECTION, 'ok', 'port', `${port} is open (${elapsed(began)})`);
    return true;
  }
  const why = opened.ended === 'failed' ? systemCodeOf(opened.error) : 'no answer in time';
  run.tell(SECTION, 'fail', 'port', `${port} cannot be reached (${why})`, `${proxyAdvice()}a firewall may block it, or no server listens there`);
  return false;
}

/** By default, fetch in Node.js ignores a proxy, and its errors do not say so. */
function proxyAdvice(): string {
  const variable = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => process.env[name]);
  return variable
    ? `${variable} is set, which Node.js's fetch does not use by itself: give the client transport: nodeTransport({ proxy: 'environment' }), in a file for --options. Or `
    : '';
}

async function checkCertificate(run: Run, host: string, port: number): Promise<boolean> {
  const began = performance.now();
  // This connection sends no data. It only reads the certificate, even a refused one.
  const seen = await withSocket(
    run,
    () => connectTls({ host, port, servername: isAddress(host) ? '' : host, rejectUnauthorized: false }),
    'secureConnect',
    readCertificate,
  );
  if (seen.ended !== 'done') {
    const why = seen.ended === 'failed' ? systemCodeOf(seen.error) : 'no answer in time';
    run.tell(SECTION, 'fail', 'TLS', `no secure connection (${why})`, 'does the server on this port speak TLS?');
    return false;
  }
  const { status, text, advice } = judgeCertificate(seen.value, run.now());
  run.tell(SECTION, status, 'TLS', `${text} (${elapsed(began)})`, advice);
  return status !== 'fail';
}

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);
