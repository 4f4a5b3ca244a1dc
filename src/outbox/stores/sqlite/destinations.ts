import { operationNames } from '../../../core/protocol/operations.js';
import { type BoundDestination, type Destination, keyOf, otherGateway, type Rebound } from '../../rules/destination.js';
import { isBreaker, isStruck, type Pause, readPause, type StoredPause } from '../../rules/pause.js';
import { LONGEST_WAIT_MS } from '../../rules/state-machine.js';
import { isServed, mayTakeFrom } from '../../store/claimants.js';
import type { ClaimRequest, DestinationState } from '../../store/store.js';
import { RATE, readRate, type StoredRate } from '../sql/destinations.js';
import { FIRST_DUE, LAST_DUE } from './claims.js';
import type { Columns, Connection } from './database.js';
import { QUEUED } from './schema.js';

const PAUSE = 'version, reason, message, tried_at, since, strikes, until';

const ALL = `SELECT account, environment, gateway, rebound, ${PAUSE}, ${RATE} FROM outbox_destinations`;
const BREAKERS = `SELECT account, environment, operation, ${PAUSE} FROM outbox_breakers`;
/** The accounts in an index, each found with one step. */
const accountsIn = (index: string, where: string): string => `SELECT account FROM (
  WITH RECURSIVE found(account) AS (
    SELECT min(account) FROM outbox_rows INDEXED BY ${index} WHERE ${where}
    UNION ALL SELECT (SELECT min(account) FROM outbox_rows INDEXED BY ${index} WHERE ${where} AND account > found.account)
      FROM found WHERE found.account IS NOT NULL
  ) SELECT account FROM found WHERE account IS NOT NULL)`;
/** All accounts. Not only the bound ones, since another tool may delete the bindings. */
const ACCOUNTS = `SELECT account FROM outbox_destinations UNION SELECT account FROM outbox_counts WHERE account <> ''
  UNION ${accountsIn('outbox_due', QUEUED)} UNION ${accountsIn('outbox_problems', "state = 'quarantined'")} ORDER BY account`;
const gatewayOf = ({ gateway }: Columns): string => String(gateway);

const pauseOf = (found: Columns, now: number): Pause =>
  readPause(
    { ...(found as unknown as StoredPause), operation: operationNames.find((name) => name === found.operation) },
    now,
  );

export type Destinations = ReturnType<typeof createDestinations>;

export function createDestinations({ first, all, run }: Connection) {
  const find = ({ account, environment }: Destination): Columns | undefined =>
    first(`${ALL} WHERE account = ? AND environment = ?`, account, environment);

  /** A time too far in the future means that a clock has jumped, and counts as past. */
  function nextInMs({ account, environment }: Destination, now: number): number | undefined {
    const [next, last] = [first(FIRST_DUE, account, environment), first(LAST_DUE, account, environment)];
    if (!next || !last) return undefined;
    return Number(last.due_at) > now + LONGEST_WAIT_MS ? 0 : Number(next.due_at) - now;
  }

  function bind(destination: BoundDestination): string {
    const { account, environment, gateway } = destination;
    const there = find(destination);
    if (there) return gatewayOf(there);
    run(
      'INSERT INTO outbox_destinations (account, environment, gateway) VALUES (?, ?, ?)',
      account,
      environment,
      gateway,
    );
    // Another tool deleted the destination: its breakers are of its earlier binding.
    run('DELETE FROM outbox_breakers WHERE account = ? AND environment = ?', account, environment);
    return gateway;
  }

  /** A breaker of an unknown operation is damage, and holds nothing back. */
  const breakersOf = (now: number): Pause[] =>
    all(BREAKERS)
      .map((found) => pauseOf(found, now))
      .filter(isBreaker);

  return {
    accounts: (): string[] => all(ACCOUNTS).map(({ account }) => String(account)),
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
    /**
     * The destinations that a claim may take from: same account and gateway, and not paused. With a probe: only its
     * destination.
     */
    open: ({ accounts, probe }: Pick<ClaimRequest, 'accounts' | 'probe'>, now: number): Destination[] =>
      all(ALL)
        .map((found) => ({ ...pauseOf(found, now), gateway: gatewayOf(found) }))
        .filter((one) => isServed(one, accounts) && mayTakeFrom(one, probe)),
    outlook(now: number, accounts?: readonly string[]): DestinationState[] {
      const breakers = breakersOf(now);
      return all(`${ALL} ORDER BY account, environment`)
        .filter(({ account }) => accounts?.includes(String(account)) ?? true)
        .map((found) => {
          const pause = pauseOf(found, now);
          const { account, environment } = pause;
          return {
            account,
            environment,
            gateway: gatewayOf(found),
            rebound: reboundOf(found),
            pause,
            breakers: breakers.filter((one) => keyOf(one) === keyOf(pause)),
            rate: readRate(found as unknown as StoredRate, now),
            nextInMs: nextInMs(pause, now),
          };
        });
    },
    struck: (now: number): Pause[] => breakersOf(now).filter(isStruck),
    hasDue: (destinations: readonly Destination[], now: number): boolean =>
      destinations.some((one) => (nextInMs(one, now) ?? 1) <= 0),
  };
}

const reboundOf = ({ rebound }: Columns): readonly Rebound[] => JSON.parse(String(rebound)) as Rebound[];
