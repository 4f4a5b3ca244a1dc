import { type Clock, systemClock } from '../platform/time.js';
import type { MockGateway } from './interface.js';
import type { JournalEntry } from './journal.js';
import { maskNin } from './mask-nin.js';

export interface EventsOptions {
  /** How long a stream stays silent before a comment keeps it open, in milliseconds. Default: 15,000. */
  heartbeatMs?: number | undefined;
  clock?: Clock | undefined;
}

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** The client's data is out of date. The empty id makes the client forget the last one. */
const RESET = 'event: reset\nid\ndata: {}\n\n';

/**
 * The journal as server-sent events: `request` for each entry, and `reset` when the client must forget all earlier
 * entries. A client that reconnects with a `Last-Event-ID` gets the entries since then. If that id is unknown, or from
 * before a restart, it gets `reset` and all entries.
 *
 * The server keeps no buffer for a client: it reads from the journal, which is bounded, as fast as the client reads.
 */
export function createEventStream(gateway: Pick<MockGateway, 'requests' | 'subscribe'>, options: EventsOptions = {}): (request: Request) => Response {
  const { heartbeatMs = 15_000, clock = systemClock } = options;
  // Ids start again with each server. This value distinguishes two runs.
  const life = crypto.randomUUID().slice(0, 8);
  const encoder = new TextEncoder();
  const toEvent = (entry: JournalEntry) => `id: ${life}-${entry.id}\nevent: request\ndata: ${JSON.stringify(maskNin(entry))}\n\n`;

  return (request) => {
    const given = request.headers.get('last-event-id');
    let last = given ? idOf(given, life) : undefined;
    const isKnown = last !== undefined && gateway.requests().some(({ id }) => id === last);
    let resetting = given ? !isKnown : false;
    let ended = false;
    let wake = () => {};
    const end = gateway.subscribe(
      () => wake(),
      () => {
        resetting = true;
        wake();
      },
    );

    function news(): string {
      const known = gateway.requests();
      const oldest = known[0]?.id;
      // A client that reads more slowly than the journal forgets has missed entries.
      if (last !== undefined && oldest !== undefined && oldest > last + 1) resetting = true;
      const start = resetting ? RESET : '';
      const after = resetting ? 0 : (last ?? 0);
      if (resetting) last = undefined;
      resetting = false;
      last = known.at(-1)?.id ?? last;
      return (
        start +
        known
          .filter(({ id }) => id > after)
          .map(toEvent)
          .join('')
      );
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
