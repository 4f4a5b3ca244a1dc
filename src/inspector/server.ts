import type { FaultRule, SetFault } from '../mock/faults.js';
import type { HeldReport } from './store.js';

/** The admin token, from `#token=…` in this page's address. A fragment is never sent or logged. */
const token = new URLSearchParams(location.hash.slice(1)).get('token');

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`/__admin/${path}`, { cache: 'no-store', ...init, headers: { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) } });

async function read<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await ask(path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}

const post = (body: unknown): RequestInit => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** The server's own routes. */
export const server = {
  events: (headers: Record<string, string>, signal: AbortSignal) => ask('events', { headers, signal }),
  held: async (environment: string) => (await read<{ reports: HeldReport[] }>(`reports?${new URLSearchParams({ environment })}`)).reports,
  /** A recorded report with its personal data. Loaded only on request. */
  revealed: async ({ environment, operation, reference }: HeldReport) => {
    const query = new URLSearchParams({ environment: environment ?? '', operation: operation ?? '', reference: reference ?? '', reveal: 'true' });
    return (await read<{ reports: HeldReport[] }>(`reports?${query}`)).reports[0]?.body;
  },
  faults: async () => (await read<{ faults: SetFault[] }>('faults')).faults,
  addFault: (rule: FaultRule) => ask('faults', post(rule)),
  removeFault: (id: number) => ask(`faults?id=${id}`, { method: 'DELETE' }),
  reset: () => ask('reset', post({})),
};
