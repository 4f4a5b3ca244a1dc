import type { FaultRule } from '../mock/faults.js';
import type { Entry, Story } from './store.js';

const OPERATIONS: Readonly<Record<string, string>> = {
  reportBetEvent: 'Bet initiated',
  reportSettledBet: 'Bet settled',
  reportWithdrawalEvent: 'Withdrawal initiated',
  reportSettledWithdrawal: 'Withdrawal settled',
  verifyNin: 'NIN verification',
};

export const operationWords = ({ operation, method, path }: Pick<Entry, 'operation' | 'method' | 'path'>): string =>
  OPERATIONS[operation ?? ''] ?? `${method} ${path}`;

const SOURCES: Readonly<Record<string, string>> = {
  gps: 'geolocation of the browser',
  ip: 'lookup of the caller’s own address',
  client_ip: 'lookup of clientIP, which the server passed',
  provided: 'passed by the caller',
  mock: 'the fixed location of mock mode',
};

/** The source of a location: the value on the wire, and its meaning. */
export const sourceWords = (source: string): string => (Object.hasOwn(SOURCES, source) ? `${source}, ${SOURCES[source]}` : source);

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

export const timeOf = ({ at, earlier }: Entry): string => (earlier ? 'earlier' : clock.format(at));

export const count = (many: number, one: string): string => `${many.toLocaleString('en')} ${one}${many === 1 ? '' : 's'}`;

/** The two steps that a bet or a withdrawal takes. */
export const steps = ({ kind }: Story): readonly [string, string] | undefined =>
  kind === 'Bet' || kind === 'Withdrawal' ? [kind === 'Bet' ? 'reportBetEvent' : 'reportWithdrawalEvent', `reportSettled${kind}`] : undefined;

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
