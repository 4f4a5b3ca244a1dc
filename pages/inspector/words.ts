import type { FaultRule } from '../../src/testing/mock/faults.js';
import { clock, OPERATIONS } from '../kit/words.js';
import type { Entry, Story } from './store.js';

export function operationWords({ operation, method, path }: Pick<Entry, 'operation' | 'method' | 'path'>): string {
  if (operation === 'verifyNin') return 'NIN verification';
  return OPERATIONS[operation ?? ''] ?? `${method} ${path}`;
}

const SOURCES: Readonly<Record<string, string>> = {
  gps: 'geolocation of the browser',
  ip: 'lookup of the caller’s own address',
  client_ip: 'lookup of clientIP, which the server passed',
  provided: 'passed by the caller',
  mock: 'the fixed location of mock mode',
};

/** The value on the wire, and its meaning. */
export const sourceWords = (source: string): string =>
  Object.hasOwn(SOURCES, source) ? `${source}, ${SOURCES[source]}` : source;

export const timeOf = ({ at, earlier }: Entry): string => (earlier ? 'earlier' : clock.format(at));

export const steps = ({ kind }: Story): readonly [string, string] | undefined =>
  kind === 'Bet' || kind === 'Withdrawal'
    ? [kind === 'Bet' ? 'reportBetEvent' : 'reportWithdrawalEvent', `reportSettled${kind}`]
    : undefined;

export function faultWords({ kind, when, operation, reference, status, delay, retryAfter, times }: FaultRule): string {
  const what = kind === 'status' ? `answer ${status ?? 503}` : kind.replaceAll('-', ' ');
  const more = [
    typeof retryAfter === 'number' && `Retry-After ${retryAfter} s`,
    typeof delay === 'number' && `${delay / 1000} s`,
    when === 'after' && 'after recording',
    operation && `for ${operation}`,
    reference !== undefined && `of ${reference}`,
    times === null ? 'always' : times !== undefined && times > 1 && `${times} times`,
  ];
  return [what, ...more.filter(Boolean)].join(', ');
}

/** Quotes text for a POSIX shell: it stays one word, and the shell runs nothing in it. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The page does not have the key. */
export function toCurl(
  address: string,
  { method, path, body }: Pick<Entry, 'method' | 'path' | 'body'>,
  key = '$LOCATION_SDK_KEY',
): string {
  const lines = [
    `curl -X ${/^[A-Z]+$/.test(method) ? method : quote(method)} ${quote(address + path)}`,
    `-H "x-api-key: ${key}"`,
  ];
  if (body !== undefined)
    lines.push("-H 'content-type: application/json'", `--data-raw ${quote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

export const EXAMPLE = {
  bet_id: 'BET-1001',
  amount: 1500,
  timestamp: '1795161600',
  user: {
    user_id: 'U-1',
    first_name: 'Ada',
    last_name: 'Example',
    resident_address: '1 Example Road',
    resident_lga: 'Ikeja',
    resident_state: 'LAGOS',
    is_resident: true,
    nin: '99000000001',
    tax_id: '1234567890',
  },
  location: { latitude: 6.45, longitude: 3.39, source: 'gps' },
};

export const EXAMPLE_PATH = '/integration-gateway/external/report-bet-event';
