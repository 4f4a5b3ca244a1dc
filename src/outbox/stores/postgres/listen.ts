import { asRecord } from '../../../core/platform/as-record.js';
import { type Clock, withTimeout } from '../../../core/platform/time.js';

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

interface ListenSettings {
  readonly connect: () => PromiseLike<ListeningClient>;
  /** The channel: a name that is safe in a statement. */
  readonly channel: string;
  /** Notifies the channel over another connection. */
  readonly notify: (payload: string) => PromiseLike<unknown>;
  readonly onDeaf: () => void;
  readonly clock: Clock;
  readonly random: () => number;
}

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
  let isStopped = false;
  let failures = 0;
  let isDeafnessTold = false;
  let timer: unknown;
  let drop = () => {};

  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, milliseconds);
      // The timer must not keep the process alive.
      (timer as { unref?: () => void } | undefined)?.unref?.();
    });

  const isDone = async (work: () => PromiseLike<unknown>, milliseconds = ANSWER_MS): Promise<boolean> =>
    (await withTimeout(async () => work(), { clock, milliseconds })).ended === 'done';

  /** Listens until the connection is lost, gives no answer, or receives no test notification. */
  async function serve(client: ListeningClient): Promise<void> {
    let isLost = false;
    let hear = (_: unknown) => {};
    const lost = new Promise<void>((resolve) => {
      drop = () => {
        isLost = true;
        resolve();
      };
    });
    client.on('error', drop);
    client.on('end', drop);
    client.on('notification', (detail) => {
      const { payload } = asRecord(detail);
      hear(payload);
      if (!isLost && !String(payload).startsWith(PROBE)) listener();
    });

    async function use(): Promise<void> {
      if (!(await isDone(() => client.query(`LISTEN ${channel}`))) || isLost) return;
      listener();
      const probe = `${PROBE}${random()}`;
      const heard = new Promise<void>((resolve) => {
        hear = (payload) => payload === probe && resolve();
      });
      if (!(await isDone(() => notify(probe)))) return;
      if (!(await isDone(() => heard, HEARING_MS))) {
        if (!isLost && !isDeafnessTold) onDeaf();
        isDeafnessTold ||= !isLost;
        return;
      }
      failures = 0;
      isDeafnessTold = false;
      for (let answers = true; answers; ) {
        await wait(CHECK_MS);
        answers = !isLost && (await isDone(() => client.query('SELECT 1')));
      }
    }

    await Promise.race([lost, use()]);
    drop();
  }

  async function connectOnce(): Promise<void> {
    const connecting = (async () => connect())();
    if (!(await isDone(() => connecting))) {
      // A connection that arrives too late is closed.
      connecting.then(giveBack, () => {});
      return;
    }
    const client = await connecting;
    try {
      if (!isStopped) await serve(client);
    } finally {
      giveBack(client);
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      // Until a connection works, workers poll. So its errors need no report.
      await connectOnce().catch(() => {});
      failures += 1;
      const most = Math.min(LONGEST_RECONNECT_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, failures - 1));
      if (!isStopped) await wait(most * (0.5 + random() / 2));
    }
  }

  void run();
  return () => {
    isStopped = true;
    clock.clearTimeout(timer);
    drop();
  };
}

/** Closes a connection, or returns it to its pool to be closed. Errors of a broken connection are ignored. */
function giveBack(client: ListeningClient | undefined): void {
  const close = async () => (client?.release ? client.release(true) : client?.end?.());
  close().catch(() => {});
  // A silent connection may never close, and must not keep the process alive.
  client?.unref?.();
}
