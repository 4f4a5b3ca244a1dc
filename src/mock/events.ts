import { type Clock, systemClock } from '../platform/time.js';
import { refuse } from './answers.js';
import type { MockGateway } from './interface.js';
import type { JournalEntry } from './journal.js';
import { maskNin } from './mask.js';

export interface EventsOptions {
  /** How long a stream stays silent before a comment keeps it open, in milliseconds. Default: 15,000. */
  heartbeatMs?: number | undefined;
  clock?: Clock | undefined;
}

/** More than a team has open pages of the inspector. Each reader costs work at each request. */
const MOST_READERS = 32;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** The client's data is out of date. The empty id makes the client forget the last one. */
const RESET = 'event: reset\nid\ndata: {}\n\n';

/**
 * The journal as server-sent events: `request` for each entry, and `reset` when the client must forget all earlier
 * entries. A client that reconnects with a `Last-Event-ID` gets the entries since then. If that id is unknown, or from
 * before a restart, it gets `reset` and all entries.
 *
 * The server keeps no buffer for a client: it reads from the journal, which is bounded, as fast as the client reads.
 * The journal is read once for all clients at each request, and each entry becomes text once. Beyond `MOST_READERS`
 * clients the answer is 503.
 */
export function createEventStream(
  gateway: Pick<MockGateway, 'requests' | 'subscribe'>,
  options: EventsOptions = {},
): (request: Request) => Response {
  const { heartbeatMs = 15_000, clock = systemClock } = options;
  // Ids start again with each server. This value distinguishes two runs.
  const life = crypto.randomUUID().slice(0, 8);
  const encoder = new TextEncoder();
  const texts = new WeakMap<JournalEntry, string>();
  let readers = 0;
  /** The journal since the last change. Undefined if it must be read again. */
  let known: readonly JournalEntry[] | undefined;

  function toEvent(entry: JournalEntry): string {
    const text =
      texts.get(entry) ?? `id: ${life}-${entry.id}\nevent: request\ndata: ${JSON.stringify(maskNin(entry))}\n\n`;
    texts.set(entry, text);
    return text;
  }

  function readJournal(): readonly JournalEntry[] {
    known ??= gateway.requests();
    return known;
  }

  return (request) => {
    if (readers >= MOST_READERS) {
      const { status, headers, body } = refuse(503, `${MOST_READERS} clients read this stream already; close one`, {
        'retry-after': '5',
      });
      return Response.json(body, { status, headers: { ...headers, 'cache-control': 'no-store' } });
    }
    // Nothing noted the changes while there was no reader.
    if (readers === 0) known = undefined;
    readers += 1;
    const given = request.headers.get('last-event-id');
    let last = given ? idOf(given, life) : undefined;
    const isKnown = last !== undefined && readJournal().some(({ id }) => id === last);
    let resetting = given ? !isKnown : false;
    let ended = false;
    let wake = () => {};
    const end = gateway.subscribe(
      () => {
        known = undefined;
        wake();
      },
      () => {
        known = undefined;
        resetting = true;
        wake();
      },
    );

    function news(): string {
      const entries = readJournal();
      const oldest = entries[0]?.id;
      // A client that reads more slowly than the journal forgets has missed entries.
      if (last !== undefined && oldest !== undefined && oldest > last + 1) resetting = true;
      const start = resetting ? RESET : '';
      const after = resetting ? 0 : (last ?? 0);
      if (resetting) last = undefined;
      resetting = false;
      last = entries.at(-1)?.id ?? last;
      let from = entries.length;
      while ((entries[from - 1]?.id ?? 0) > after) from -= 1;
      return start + entries.slice(from).map(toEvent).join('');
    }

    /** Waits for an event or for the heartbeat. */
    const sleep = () =>
      new Promise<void>((resolve) => {
        const timer = clock.setTimeout(() => resolve(), heartbeatMs);
        wake = () => {
          clock.clearTimeout(timer);
          resolve();
        };
      });

    let opening = 'retry: 1000\n\n';
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          let text = opening + news();
          opening = '';
          if (text === '') {
            await sleep();
            text = news() || ':\n\n';
          }
          if (!ended) controller.enqueue(encoder.encode(text));
        },
        cancel() {
          ended = true;
          readers -= 1;
          end();
          wake();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: HEADERS });
  };
}

function idOf(given: string, life: string): number | undefined {
  const [prefix, id] = given.split('-');
  return prefix === life && /^\d+$/.test(id ?? '') ? Number(id) : undefined;
}
