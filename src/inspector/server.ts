import { partsOf } from '../kit/page.js';
import type { FaultRule, SetFault } from '../mock/faults.js';
import type { HeldReport } from './store.js';

/** The admin token, from `#token=…` in this page's address. A fragment is never sent or logged. */
const token = new URLSearchParams(location.hash.slice(1)).get('token');

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`/__admin/${path}`, {
    cache: 'no-store',
    ...init,
    headers: { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) },
  });

async function read<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await ask(path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return (await response.json()) as T;
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const server = {
  held: async (environment: string) =>
    (await read<{ reports: HeldReport[] }>(`reports?${new URLSearchParams({ environment })}`)).reports,
  /** A recorded report with its personal data. Loaded only on request. */
  revealed: async ({ environment, operation, reference }: HeldReport) => {
    const query = new URLSearchParams({
      environment: environment ?? '',
      operation: operation ?? '',
      reference: reference ?? '',
      reveal: 'true',
    });
    return (await read<{ reports: HeldReport[] }>(`reports?${query}`)).reports[0]?.body;
  },
  faults: async () => (await read<{ faults: SetFault[] }>('faults')).faults,
  addFault: (rule: FaultRule) => ask('faults', post(rule)),
  removeFault: (id: number) => ask(`faults?id=${id}`, { method: 'DELETE' }),
  reset: () => ask('reset', post({})),
};

export interface Heard {
  request(entry: unknown): void;
  reset(): void;
  state(state: 'live' | 'reconnecting' | 'refused'): void;
}

const LONGEST_SILENCE_MS = 40_000;
const LONGEST_RECONNECT_WAIT_MS = 3_000;

/**
 * Listens to the events while the page is open, and reconnects when the connection is lost. It uses `fetch`:
 * `EventSource` sends no headers and stops permanently on some answers.
 */
export async function listen(heard: Heard): Promise<never> {
  let lastId = '';
  let wait = 250;

  function take(block: string): void {
    let event = 'message';
    let data = '';
    for (const line of block.split('\n')) {
      const [, name, value = ''] = /^([a-z]*):? ?(.*)$/.exec(line) ?? [];
      if (name === 'id') lastId = value;
      else if (name === 'event') event = value;
      else if (name === 'data') data += value;
    }
    if (event === 'reset') heard.reset();
    else if (event === 'request') heard.request(JSON.parse(data));
  }

  for (;;) {
    const ending = new AbortController();
    let refused = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stillThere = () => {
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), LONGEST_SILENCE_MS);
    };
    try {
      stillThere();
      const headers: HeadersInit = lastId ? { 'last-event-id': lastId } : {};
      const response = await ask('events', { headers, signal: ending.signal });
      refused = response.status === 401;
      if (!response.ok) throw new Error();
      heard.state('live');
      wait = 250;
      for await (const block of partsOf(response, '\n\n')) {
        stillThere();
        take(block);
      }
    } catch {}
    clearTimeout(timer);
    heard.state(refused ? 'refused' : 'reconnecting');
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 1.5, LONGEST_RECONNECT_WAIT_MS);
  }
}
