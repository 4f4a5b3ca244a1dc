import { asRecord } from '../../../platform/as-record.js';
import { type Clock, withTimeout } from '../../../platform/time.js';

/**
 * A connection that listens, as a client of `pg` is one: it is kept for that alone, since a pooler that lends connections
 * for single statements cannot pass notifications on.
 */
export interface ListeningClient {
  /** Runs a statement: `LISTEN`, and now and then one that asks whether the connection is still there. */
  query(text: string): PromiseLike<unknown>;
  /** Hears of notifications, and of the end of the connection. */
  on(event: 'notification' | 'error' | 'end', listener: (detail?: unknown) => void): unknown;
  /** Gives a client back to its pool; `true`, as it is not to be used again. */
  release?(destroy: boolean): unknown;
  /** Closes a connection that is of no pool. */
  end?(): unknown;
  /** Lets the process end, whatever becomes of the connection. */
  unref?(): unknown;
}

export interface ListenSettings {
  readonly connect: () => PromiseLike<ListeningClient>;
  /** What is listened to: a name that is safe in a statement. */
  readonly channel: string;
  /** Notifies the channel, over another connection. */
  readonly notify: (payload: string) => PromiseLike<unknown>;
  /** Hears once that notifications do not arrive. */
  readonly onDeaf: () => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** How long connecting, or an answer, may take. */
const ANSWER_MS = 10_000;
/** How often a silent connection is asked whether it is still there: one that broke on the way does not say so. */
const CHECK_MS = 30_000;
/** How long the listening connection may take to hear a notification of its own. */
const HEARING_MS = 5_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** What the payload of such a notification begins with; that of a report has none. */
const PROBE = 'heard? ';

/**
 * Calls the listener with every notification, and once more after each new connection, since something may have been missed. Returns how to stop.
 * A pooler in transaction mode accepts LISTEN and passes on no notification: a new connection must hear one that is sent over another connection.
 */
export function listen({ connect, channel, notify, onDeaf, clock, random }: ListenSettings, listener: () => void): () => void {
  let stopped = false;
  let timer: unknown;
  let current: ListeningClient | undefined;
  let failures = 0;
  let isDeafnessTold = false;
  let heard: ((payload: unknown) => void) | undefined;

  const later = (work: () => void, milliseconds: number) => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(work, milliseconds);
    // Nobody should be kept running by it.
    (timer as { unref?: () => void } | undefined)?.unref?.();
  };

  /** Takes leave of a connection, once. */
  function drop(client: ListeningClient): void {
    if (client !== current) return;
    current = undefined;
    giveBack(client);
    if (!stopped) reconnect();
  }

  function reconnect(): void {
    failures += 1;
    later(() => void begin(), Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, failures - 1)) * (0.5 + random() / 2));
  }

  const answered = async (work: PromiseLike<unknown>): Promise<boolean> => (await withTimeout(() => work, { clock, milliseconds: ANSWER_MS })).ended === 'done';

  /** Whether the connection hears a notification; undefined where none could be sent. */
  async function hears(): Promise<boolean | undefined> {
    const payload = `${PROBE}${random()}`;
    const hearing = new Promise<void>((resolve) => {
      // A library that does not pass the payload on shows at least that something arrived.
      heard = (given) => (given === payload || given === undefined) && resolve();
    });
    if (!(await answered(attempt(() => notify(payload))))) return undefined;
    return (await withTimeout(() => hearing, { clock, milliseconds: HEARING_MS })).ended === 'done';
  }

  /** Asks whether notifications arrive, until that is known. */
  async function prove(client: ListeningClient): Promise<void> {
    const isHearing = await hears();
    if (client !== current || stopped) return;
    if (isHearing === false) {
      if (!isDeafnessTold) onDeaf();
      isDeafnessTold = true;
      return drop(client);
    }
    failures = 0;
    if (isHearing) isDeafnessTold = false;
    check(client, isHearing === true);
  }

  function check(client: ListeningClient, isProven: boolean): void {
    later(async () => {
      if (!(await answered(attempt(() => client.query('SELECT 1'))))) return drop(client);
      if (client !== current || stopped) return;
      if (isProven) check(client, true);
      else await prove(client);
    }, CHECK_MS);
  }

  async function begin(): Promise<void> {
    const connecting = attempt(connect);
    const connected = await withTimeout(() => connecting, { clock, milliseconds: ANSWER_MS });
    // What is no client can be of no use, and another one may be: until then workers poll.
    if (connected.ended !== 'done' || !isClient(connected.value)) {
      // One that comes too late is not left open.
      connecting.then(giveBack, () => {});
      if (!stopped) reconnect();
      return;
    }
    const client = connected.value;
    current = client;
    try {
      client.on('error', () => drop(client));
      client.on('end', () => drop(client));
      client.on('notification', (detail) => {
        if (client !== current || stopped) return;
        const { payload } = asRecord(detail);
        heard?.(payload);
        if (!String(payload).startsWith(PROBE)) listener();
      });
    } catch {
      return drop(client);
    }
    if (stopped) return stop();
    if (!(await answered(attempt(() => client.query(`LISTEN ${channel}`))))) return drop(client);
    if (client !== current || stopped) return;
    listener();
    await prove(client);
  }

  function stop(): void {
    stopped = true;
    clock.clearTimeout(timer);
    const client = current;
    current = undefined;
    if (client) giveBack(client);
  }

  void begin();
  return stop;
}

const isClient = (value: unknown): value is ListeningClient => {
  const { query, on } = Object(value) as { query?: unknown; on?: unknown };
  return typeof query === 'function' && typeof on === 'function';
};

/** What a library does, as a promise whatever it throws. */
const attempt = async <T>(work: () => PromiseLike<T>): Promise<T> => work();

/** Closes a connection, or gives it back to be closed; it may be broken, and then nothing is left to do. */
function giveBack(client: ListeningClient | undefined): void {
  attempt(async () => (client?.release ? client.release(true) : client?.end?.())).catch(() => {});
  // A silent one does not answer when it is told goodbye.
  attempt(async () => client?.unref?.()).catch(() => {});
}
