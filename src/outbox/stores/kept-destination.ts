import { type BoundDestination, destinationScope, type Rebinding } from '../rules/destination.js';
import { changePause, isStruck, notPaused, type Pause, type PauseChange } from '../rules/pause.js';
import type { DestinationState } from '../store/store.js';

/** A destination as the stores without SQL keep it. */
export type KeptDestination = Omit<DestinationState, 'nextInMs'>;

export const newDestination = ({ account, environment, gateway }: BoundDestination): KeptDestination => ({
  account,
  environment,
  gateway,
  rebound: [],
  pause: notPaused(destinationScope({ account, environment })),
  breakers: [],
});

/** The destination after a change of its gateway. Undefined if the change is not made. */
export const withGateway = <T extends KeptDestination>(
  known: T | undefined,
  { from, gateway, reason }: Rebinding,
  at: number,
): T | undefined =>
  known?.gateway === from ? { ...known, gateway, rebound: [...known.rebound, { from, reason, at }] } : undefined;

/** The destination after a change of its pause or of a breaker. Undefined if the change is not made. */
export function withPause<T extends KeptDestination>(
  known: T | undefined,
  change: PauseChange,
  at: number,
): T | undefined {
  const { operation, version } = change;
  const others = known?.breakers.filter((one) => one.operation !== operation) ?? [];
  const breaker = known?.breakers.find((one) => one.operation === operation) ?? notPaused(change);
  const before = operation === undefined ? known?.pause : breaker;
  if (!known || before?.version !== version) return undefined;
  const pause = changePause(before, change, at);
  return { ...known, ...(operation === undefined ? { pause } : { breakers: [...others, pause] }) };
}

export const struckOf = (destinations: readonly KeptDestination[]): readonly Pause[] =>
  destinations.flatMap(({ breakers }) => breakers.filter(isStruck));

export function pausesAt(
  { pause, breakers }: KeptDestination,
  at: number,
): Pick<DestinationState, 'pause' | 'breakers'> {
  const shown = (one: Pause): Pause => ({ ...one, remainingMs: one.until - at });
  return { pause: shown(pause), breakers: breakers.map(shown) };
}
