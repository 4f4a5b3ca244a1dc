import { isServed, mayTakeFrom } from '../../claimants.js';
import { type BoundDestination, type Destination, keyOf, otherGateway, type Rebinding, type Rebound } from '../../destination.js';
import { changePause, type Pause, type PauseChange, readPause } from '../../pause.js';
import { LONGEST_WAIT_MS } from '../../state-machine.js';
import type { ClaimRequest, Outlook } from '../../store.js';
import { type Columns, type Connection, columns } from './database.js';
import { FIRST_DUE, isPast, LAST_DUE } from './rows.js';

const ALL = `SELECT ${columns('account, environment, gateway, rebound, version, reason, message, since, strikes, until')} FROM outbox_destinations`;

const gatewayOf = ({ gateway }: Columns): string => String(gateway);

const pauseOf = (found: Columns, now: number): Pause =>
  readPause(
    {
      account: String(found.account),
      environment: String(found.environment) as Pause['environment'],
      version: found.version,
      reason: found.reason,
      message: found.message,
      since: found.since,
      strikes: found.strikes,
      until: found.until,
    },
    now,
  );

/** The destinations of reports, with their gateways, pauses and next rows. */
export function createDestinations({ first, all, run }: Connection) {
  const find = ({ account, environment }: Destination): Columns | undefined => first(`${ALL} WHERE account = ? AND environment = ?`, account, environment);

  /** A time too far in the future means that a clock has jumped, and counts as past. So does a damaged time. */
  function nextInMs({ account, environment }: Destination, now: number): number | undefined {
    const [next, last] = [first(FIRST_DUE, account, environment), first(LAST_DUE, account, environment)];
    if (!next || !last) return undefined;
    const wait = Number(next.due_at) - now;
    return isPast(last.due_at, now + LONGEST_WAIT_MS) ? wait : 0;
  }

  function bind(destination: BoundDestination): string {
    const { account, environment, gateway } = destination;
    const there = find(destination);
    if (there) return gatewayOf(there);
    run('INSERT INTO outbox_destinations (account, environment, gateway) VALUES (?, ?, ?)', account, environment, gateway);
    return gateway;
  }

  return {
    accounts: (): string[] => all(`SELECT DISTINCT ${columns('account')} FROM outbox_destinations ORDER BY account`).map(({ account }) => String(account)),
    isBound: (destination: Destination): boolean => find(destination) !== undefined,
    bind,
    /** Binds new destinations. Throws if one of the given is bound to another gateway. */
    ensure(given: readonly BoundDestination[]): void {
      const different = new Map(given.map((one) => [`${keyOf(one)} ${one.gateway}`, one]));
      for (const one of different.values()) {
        const bound = bind(one);
        if (bound !== one.gateway) throw otherGateway(one, bound);
      }
    },
    rebind({ account, environment, gateway, from, reason }: Rebinding, now: number): boolean {
      const before = find({ account, environment });
      if (!before || gatewayOf(before) !== from) return false;
      const rebound = [...reboundOf(before), { from, reason, at: now } satisfies Rebound];
      run(
        'UPDATE outbox_destinations SET gateway = ?, rebound = ? WHERE account = ? AND environment = ?',
        gateway,
        JSON.stringify(rebound),
        account,
        environment,
      );
      return true;
    },
    /** The destinations that a claim may take from: same account and gateway, and not paused. With a probe: only its destination. */
    open: ({ accounts, probe }: Pick<ClaimRequest, 'accounts' | 'probe'>, now: number): Destination[] =>
      all(ALL)
        .filter((found) => {
          const pause = pauseOf(found, now);
          return isServed({ ...pause, gateway: gatewayOf(found) }, accounts) && mayTakeFrom(pause, probe);
        })
        .map((found) => pauseOf(found, now)),
    outlook: (now: number, accounts?: readonly string[]): Outlook[] =>
      all(`${ALL} ORDER BY account, environment`)
        .filter(({ account }) => accounts?.includes(String(account)) ?? true)
        .map((found) => {
          const pause = pauseOf(found, now);
          const { account, environment } = pause;
          return { account, environment, gateway: gatewayOf(found), rebound: reboundOf(found), pause, nextInMs: nextInMs(pause, now) };
        }),
    hasDue: (destinations: readonly Destination[], now: number): boolean => destinations.some((one) => (nextInMs(one, now) ?? 1) <= 0),
    change(change: PauseChange, now: number): boolean {
      const found = find(change);
      const before = found && pauseOf(found, now);
      if (before?.version !== change.version) return false;
      const { account, environment, version, reason, message, since, strikes, until } = changePause(before, change, now);
      const values = [version, reason ?? null, message ?? null, since, strikes, until] as const;
      run(
        'UPDATE outbox_destinations SET version = ?, reason = ?, message = ?, since = ?, strikes = ?, until = ? WHERE account = ? AND environment = ?',
        ...values,
        account,
        environment,
      );
      return true;
    },
  };
}

/** The changes of the gateway. A damaged value is read as an empty list, since it must not stop a report. */
function reboundOf({ rebound }: Columns): readonly Rebound[] {
  try {
    const history: unknown = JSON.parse(String(rebound));
    return Array.isArray(history) ? (history as Rebound[]) : [];
  } catch {
    return [];
  }
}

export type Destinations = ReturnType<typeof createDestinations>;
