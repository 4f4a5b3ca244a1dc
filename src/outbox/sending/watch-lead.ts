import { isProbeDue } from '../rules/pause.js';
import type { OutboxSettings } from '../settings.js';
import type { Counts, DestinationState } from '../store/store.js';

export const countEnded = ({ recorded, quarantined, dismissed }: Counts['states']): number =>
  recorded + quarantined + dismissed;

const hasDueWork = ({ pause, nextInMs }: DestinationState): boolean =>
  nextInMs !== undefined && nextInMs <= 0 && (pause.reason === undefined || isProbeDue(pause));

/**
 * Watches the reports while another tab leads. Calls `standIn` once for a whole lease some were due and none ended: a
 * page that is busy, suspended or in a debugger keeps the lead, and sends nothing. Returns a function that ends this.
 */
export function watchLead({ store, clock, leaseMs, accounts }: OutboxSettings, standIn: () => void): () => void {
  const served = accounts.map(({ account }) => account);
  let isOver = false;
  let timer: unknown;
  let endedBefore: number | undefined;

  async function look(): Promise<void> {
    const isDue = (await store.outlook(served)).some(hasDueWork);
    const ended = isDue ? countEnded((await store.counts(served)).states) : undefined;
    if (isOver) return;
    if (isDue && ended === endedBefore) return standIn();
    endedBefore = ended;
    lookLater();
  }

  function lookLater(): void {
    if (!isOver) timer = clock.setTimeout(() => void look().catch(lookLater), leaseMs);
  }

  lookLater();
  return () => {
    isOver = true;
    clock.clearTimeout(timer);
  };
}
