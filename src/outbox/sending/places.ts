import type { Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import { createClaimants } from '../store/claimants.js';
import type { Attempted } from './pauses.js';
import type { Finished } from './plan.js';

/** The rows that a worker has claimed, until their results are written and announced. */
export function createPlaces({ accounts, concurrency }: Pick<OutboxSettings, 'accounts' | 'concurrency'>) {
  const claimants = createClaimants(accounts);
  let busy = 0;
  /** The number of probes under way. Each has an extra place, since a backlog may fill the others. */
  let probing = 0;
  /** Attempts that have ended, and whose pauses are not written yet. */
  const attempted: Attempted[] = [];
  /** Results that are not written yet. */
  const finished: Finished[] = [];
  /** Results whose write was refused. An earlier turn may have made the write and then failed. */
  const refused: Finished[] = [];

  return {
    attempted,
    finished,
    refused,
    count: () => ({ accounts: claimants.all(), busy, probing, ended: attempted.length + finished.length }),
    hasWork: () => attempted.length + finished.length + refused.length > 0 || busy < concurrency + probing,
    claimed(row: Row, isProbe: boolean): void {
      busy += 1;
      if (isProbe) probing += 1;
      claimants.took(row);
    },
    probeEnded(): void {
      probing -= 1;
    },
    release(row: Row): void {
      busy -= 1;
      claimants.gave(row);
    },
  };
}

export type Places = ReturnType<typeof createPlaces>;
