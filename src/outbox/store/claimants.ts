import { type BoundDestination, type Gateways, keyOf } from '../rules/destination.js';
import type { Pause } from '../rules/pause.js';
import type { Row } from '../rules/state-machine.js';
import type { Claimant, ClaimRequest } from './store.js';

/** Whether a worker sends the reports of a destination: both its account and its gateway are those of the worker. */
export const isServed = (destination: BoundDestination, accounts: readonly Claimant[]): boolean =>
  accounts.some(
    ({ account, gateways }) =>
      account === destination.account && gateways[destination.environment] === destination.gateway,
  );

/** Whether a claim may take rows of a destination. During its pause, only the probe of that pause may. */
export const mayTakeFrom = (
  pause: Pick<Pause, 'account' | 'environment' | 'reason'>,
  probe: ClaimRequest['probe'],
): boolean =>
  probe === undefined
    ? pause.reason === undefined
    : keyOf(pause) === keyOf(probe) && (probe.operation === undefined || pause.reason === undefined);

/** Counts the rows of each account that a worker holds. Of equal counts, the one that was served longest ago is first. */
export function createClaimants(accounts: readonly { readonly account: string; readonly gateways: Gateways }[]) {
  let claimants: readonly Claimant[] = accounts.map(({ account, gateways }) => ({ account, gateways, busy: 0 }));

  const add = (account: string, by: number) => {
    claimants = claimants.map((one) => (one.account === account ? { ...one, busy: one.busy + by } : one));
  };

  return {
    all: (): readonly Claimant[] => claimants,
    took({ account }: Pick<Row, 'account'>): void {
      add(account, 1);
      claimants = [
        ...claimants.filter((one) => one.account !== account),
        ...claimants.filter((one) => one.account === account),
      ];
    },
    gave({ account }: Pick<Row, 'account'>): void {
      add(account, -1);
    },
  };
}
