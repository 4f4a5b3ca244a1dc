import { numbered } from '../../core/platform/portable.js';
import type { Events } from '../events.js';
import { type BoundDestination, boundTo, type Destination, keyOf, otherGateway } from '../rules/destination.js';
import type { AccountSettings } from '../settings.js';
import type { OutboxStore } from '../store/store.js';

interface Given {
  readonly store: Pick<OutboxStore, 'bind'>;
  readonly accounts: readonly Pick<AccountSettings, 'account' | 'gateways'>[];
}

const wantedOf = (accounts: Given['accounts']): BoundDestination[] =>
  accounts.flatMap(({ account, gateways }) => boundTo(account, gateways));

/** Binds each new destination to its gateway. Rejects if one is bound to another gateway. */
export async function ensureOwnGateways({ store, accounts }: Given): Promise<void> {
  const wanted = wantedOf(accounts);
  const bound = await store.bind(wanted);
  for (const [index, one] of numbered(wanted)) {
    const gateway = bound[index] ?? one.gateway;
    if (gateway !== one.gateway) throw otherGateway(one, gateway);
  }
}

/** Whether the store has lost a binding: its transaction was rolled back, or the database was restored. */
export const isUnbound = (wanted: Destination, bound: readonly Destination[]): boolean =>
  !bound.some((one) => keyOf(one) === keyOf(wanted));

/** Binds each new destination to its gateway, and reports each destination that is bound to another gateway. */
export function createBindings({ store, accounts }: Given, events: Events) {
  const wanted = wantedOf(accounts);
  /** The other gateways that an error has named, by destination, so that it comes once. */
  const reported = new Map<string, string>();
  let isBound = false;

  function tell(one: BoundDestination, bound: string): void {
    const before = reported.get(keyOf(one));
    if (bound === one.gateway) reported.delete(keyOf(one));
    if (bound === one.gateway || bound === before) return;
    reported.set(keyOf(one), bound);
    const cause = otherGateway(one, bound);
    events.emit('error', { message: cause.message, cause });
  }

  return {
    /** Binds once, and again after the store lost a destination. */
    async bind(): Promise<void> {
      if (isBound) return;
      const bound = await store.bind(wanted);
      isBound = true;
      for (const [index, one] of numbered(wanted)) tell(one, bound[index] ?? one.gateway);
    },
    /** Reports the destinations that were bound to another gateway in the meantime. */
    compare(outlooks: readonly BoundDestination[]): void {
      for (const one of wanted) {
        const known = outlooks.find((other) => keyOf(other) === keyOf(one));
        if (isUnbound(one, outlooks)) isBound = false;
        tell(one, known?.gateway ?? one.gateway);
      }
    },
  };
}
