import type { FaultRule, SetFault } from '../../src/testing/mock/faults.js';
import type { Entry, HeldReport } from './store.js';

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

const reports = async (query: Readonly<Record<string, string>>) =>
  (await read<{ reports: HeldReport[] }>(`reports?${new URLSearchParams(query)}`)).reports;

export const adminApi = {
  held: (environment: string) => reports({ environment }),
  /** Loaded only on request. */
  revealed: async ({ environment, operation, reference }: HeldReport) => {
    const of = { environment: environment ?? '', operation: operation ?? '', reference: reference ?? '' };
    return (await reports({ ...of, reveal: 'true' }))[0]?.body;
  },
  faults: async () => (await read<{ faults: SetFault[] }>('faults')).faults,
  addFault: (rule: FaultRule) => ask('faults', post(rule)),
  removeFault: (id: number) => ask(`faults?id=${id}`, { method: 'DELETE' }),
  reset: () => ask('reset', post({})),
};

interface Heard {
  request(entry: Entry): void;
  /** All earlier requests and reports are out of date. */
  reset(): void;
  state(state: 'live' | 'reconnecting' | 'refused'): void;
}

const LOOK_MS = 400;
const LONGEST_LOOK_MS = 10_000;

interface News {
  readonly era: string;
  readonly requests: readonly Entry[];
}

async function readNews(era: string, id: number): Promise<News | 'refused' | 'reconnecting'> {
  try {
    const query = new URLSearchParams({ era, id: String(id) });
    const response = await ask(`news?${query}`, { signal: AbortSignal.timeout(LONGEST_LOOK_MS) });
    if (response.ok) return (await response.json()) as News;
    return response.status === 401 ? 'refused' : 'reconnecting';
  } catch {
    return 'reconnecting';
  }
}

/** Reads the requests that have arrived, several times a second while the page is open. */
export async function listen(heard: Heard): Promise<never> {
  let era = '';
  let last = 0;
  for (;;) {
    const news = await readNews(era, last);
    heard.state(typeof news === 'string' ? news : 'live');
    if (typeof news !== 'string') {
      if (news.era !== era) {
        heard.reset();
        [era, last] = [news.era, 0];
      }
      news.requests.forEach(heard.request);
      last = news.requests.at(-1)?.id ?? last;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
