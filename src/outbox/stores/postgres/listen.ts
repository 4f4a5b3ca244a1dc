import { asRecord } from '../../../platform/as-record.js';
import { type Clock, withTimeout } from '../../../platform/time.js';

/**
 * A connection that is used only for listening, for example a client of `pg`. A pooler that lends connections for
 * single statements cannot pass notifications on.
 */
export interface ListeningClient {
  /** Runs a statement: `LISTEN`, and from time to time a check of the connection. */
  query(text: string): PromiseLike<unknown>;
  /** Adds a listener for notifications, errors, and the end of the connection. */
  on(event: 'notification' | 'error' | 'end', listener: (detail?: unknown) => void): unknown;
  /** Returns a client to its pool. With `true`, the pool closes it. */
  release?(destroy: boolean): unknown;
  /** Closes a connection that does not belong to a pool. */
  end?(): unknown;
  /** Allows the process to end while the connection is open. */
  unref?(): unknown;
}

export interface ListenSettings {
  readonly connect: () => PromiseLike<ListeningClient>;
  /** The channel: a name that is safe in a statement. */
  readonly channel: string;
  /** Notifies the channel over another connection. */
  readonly notify: (payload: string) => PromiseLike<unknown>;
  /** Called once if notifications do not arrive. */
  readonly onDeaf: () => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The time limit of a connection or an answer. */
const ANSWER_MS = 10_000;
/** The interval between checks of a silent connection, since a cut connection gives no error. */
const CHECK_MS = 30_000;
/** The time limit until the listening connection receives the test notification. */
const HEARING_MS = 5_000;
const FIRST_WAIT_MS = 500;
const LONGEST_RECONNECT_WAIT_MS = 30_000;
/** The prefix of the payload of a test notification. The notification of a report has no payload. */
const PROBE = 'heard? ';

/**
 * Calls the listener with every notification, and after each new connection, since notifications may have been missed.
 * Returns a function that stops this. A pooler in transaction mode accepts LISTEN but passes no notification on. So a
 * new connection must receive a test notification that is sent over another connection.
 */
export function listen(
  { connect, channel, notify, onDeaf, clock, random }: ListenSettings,
  listener: () => void,
): () => void {
  let stopped = false;
  let timer: unknown;
  let current: ListeningClient | undefined;
  let failures = 0;
  let isDeafnessTold = false;
  let heard: ((payload: unknown) => void) | undefined;

  const later = (work: () => void, milliseconds: number) => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(work, milliseconds);
    // The timer must not keep the process alive.
    (timer as { unref?: () => void } | undefined)?.unref?.();
  };

  /** Closes a connection and connects again. Later calls for the same connection do nothing. */
  function drop(client: ListeningClient): void {
    if (client !== current) return;
    current = undefined;
    giveBack(client);
    if (!stopped) reconnect();
  }

  function reconnect(): void {
    failures += 1;
    later(
      () => void begin(),
      Math.min(LONGEST_RECONNECT_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, failures - 1)) * (0.5 + random() / 2),
    );
  }

  const answered = async (work: PromiseLike<unknown>): Promise<boolean> =>
    (await withTimeout(() => work, { clock, milliseconds: ANSWER_MS })).ended === 'done';

  /** Whether the connection receives a test notification. Undefined if it could not be sent. */
  async function hears(): Promise<boolean | undefined> {
    const payload = `${PROBE}${random()}`;
    const hearing = new Promise<void>((resolve) => {
      // Some libraries do not pass the payload on. Then any notification counts.
      heard = (given) => (given === payload || given === undefined) && resolve();
    });
    if (!(await answered(attempt(() => notify(payload))))) return undefined;
    return (await withTimeout(() => hearing, { clock, milliseconds: HEARING_MS })).ended === 'done';
  }

  /** Tests whether notifications arrive. If the test could not be sent, a later check repeats it. */
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
    // If the result is not a client, a later attempt may return one. Until then workers poll.
    if (connected.ended !== 'done' || !isClient(connected.value)) {
      // A connection that arrives too late is closed.
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

/** Turns a synchronous error of a library into a rejection. */
const attempt = async <T>(work: () => PromiseLike<T>): Promise<T> => work();

/** Closes a connection, or returns it to its pool to be closed. Errors of a broken connection are ignored. */
function giveBack(client: ListeningClient | undefined): void {
  attempt(async () => (client?.release ? client.release(true) : client?.end?.())).catch(() => {});
  // A silent connection may never close, and must not keep the process alive.
  attempt(async () => client?.unref?.()).catch(() => {});
}
