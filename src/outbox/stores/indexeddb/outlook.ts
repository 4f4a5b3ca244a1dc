import type { DestinationState } from '../../store/store.js';
import { type KeptDestination, pausesAt } from '../kept-destination.js';
import { ask, type Tables } from './connection.js';
import { readDestinations } from './destinations.js';
import { dueRanges, type IndexedRow } from './rows.js';

export async function readOutlook(
  tables: Tables,
  at: number,
  accounts: readonly string[] | undefined,
): Promise<DestinationState[]> {
  const index = tables.rows.index('due');
  const outlookOf = async (destination: KeptDestination): Promise<DestinationState> => {
    const { account, environment } = destination;
    const first = await ask<IndexedRow | undefined>(
      index.get(IDBKeyRange.bound([account, environment], [account, environment, []])),
    );
    const jumped = await ask(index.getKey(dueRanges(destination, at)[2]));
    const nextInMs = first && (jumped !== undefined || first.row.fence === 0 ? 0 : first.row.dueAt - at);
    return { ...destination, ...pausesAt(destination, at), nextInMs };
  };
  return Promise.all((await readDestinations(tables, accounts)).map(outlookOf));
}
