import { once } from 'node:events';
import { connect } from 'node:tls';
import { withTimeout } from '../../core/platform/time.js';
import { type CheckResult, type CheckRun, limitOf, ok, skip, warn } from './run.js';

const DAY_MS = 86_400_000;
/** The gateway's operator needs about this time to renew a certificate. */
const FEW_DAYS = 21;

/** This connection sends no data. */
export async function readCertificate(run: CheckRun): Promise<CheckResult | undefined> {
  const { protocol, hostname, port } = new URL(run.gateway.baseUrl);
  if (protocol !== 'https:' || run.ownFetch) return undefined;
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 });
  const opened = await withTimeout(() => once(socket, 'secureConnect'), limitOf(run));
  const until = Date.parse(socket.getPeerCertificate()?.valid_to);
  socket.on('error', () => undefined).destroy();
  if (opened.ended !== 'done') return skip('cannot be read over a connection of its own');
  return judgeCertificate(until, Date.now());
}

export function judgeCertificate(until: number, now: number): CheckResult {
  const days = Math.floor((until - now) / DAY_MS);
  const text = `is valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  return days < FEW_DAYS ? warn(text, "tell the gateway's operator") : ok(text);
}
