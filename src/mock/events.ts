import { type Clock, systemClock } from '../platform/time.js';
import type { MockGateway } from './interface.js';
import type { JournalEntry } from './journal.js';
import { maskNin } from './mask-nin.js';

export interface EventsOptions {
  /** How long a stream is silent before a comment keeps it open. Default: 15,000. */
  heartbeatMs?: number | undefined;
  clock?: Clock | undefined;
}

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** What a client knew is no longer so. The empty id makes it forget the last one. */
const RESET = 'event: reset\nid\ndata: {}\n\n';

/**
 * The journal as server-sent events: `request` for each entry, and `reset` when everything that was told before is
 * to be forgotten. Whoever comes back with a `Last-Event-ID` gets what came since; where that id is forgotten,
 * or from before a restart, `reset` and all that is known.
 *
 * Nothing is kept for a client: the journal, which is bounded, is its buffer, read as fast as the client reads.
 */
export function createEventStream(gateway: Pick<MockGateway, 'requests' | 'subscribe'>, options: EventsOptions = {}): (request: Request) => Response {
  const { heartbeatMs = 15_000, clock = systemClock } = options;
  // Ids start again with every server; this tells one life from the next.
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
      // A client that reads more slowly than the journal forgets has missed something.
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

    /** Until something happens, or for a heartbeat. */
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
