import { type BoundDestination, type Gateways, isBreaker, partsOf } from './destination.js';
import type { Row } from './state-machine.js';
import type { Claimant } from './store.js';

/** Whether the store knows a destination as a worker does. The reports of another account, or for another gateway, are not its to send. */
export const isServed = (destination: BoundDestination, accounts: readonly Claimant[]): boolean =>
  !isBreaker(destination) &&
  accounts.some(({ account, gateways }) => account === destination.account && gateways[partsOf(destination).environment] === destination.gateway);

/** How many rows of each account a worker has. Of accounts with as many, the one that was served longest ago comes first. */
export function createClaimants(accounts: readonly { readonly account: string; readonly gateways: Gateways }[]) {
  let claimants: readonly Claimant[] = accounts.map(({ account, gateways }) => ({ account, gateways, busy: 0 }));

  const add = (account: string, by: number) => {
    claimants = claimants.map((one) => (one.account === account ? { ...one, busy: one.busy + by } : one));
  };

  return {
    all: (): readonly Claimant[] => claimants,
    took({ account }: Pick<Row, 'account'>): void {
      add(account, 1);
      claimants = [...claimants.filter((one) => one.account !== account), ...claimants.filter((one) => one.account === account)];
    },
    gave({ account }: Pick<Row, 'account'>): void {
      add(account, -1);
    },
  };
}
