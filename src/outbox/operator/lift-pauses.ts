import type { OperationName } from '../../protocol/operations.js';
import { type OutboxEnvironment, partsOf } from '../destination.js';
import { liftPause } from '../pause.js';
import type { OutboxStore } from '../store.js';

/** Ends all pauses of an environment of an account. Returns the operation of each pause: undefined for the whole environment. */
export async function liftPauses(store: OutboxStore, account: string, environment: OutboxEnvironment): Promise<(OperationName | undefined)[]> {
  const lifted: (OperationName | undefined)[] = [];
  for (const { pause } of await store.outlook([account])) {
    const { environment: paused, operation } = partsOf(pause);
    if (paused === environment && pause.reason !== undefined && (await store.pause(liftPause(pause)))) lifted.push(operation);
  }
  return lifted;
}
