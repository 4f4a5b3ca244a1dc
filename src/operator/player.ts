import { asRecord } from '../core/platform/as-record.js';
import { operationNames, operations } from '../core/protocol/operations.js';
import { rowId } from '../outbox/intake/enqueue.js';
import { isFinal, type Row } from '../outbox/rules/state-machine.js';
import { holdsPersonalData, openKept } from '../outbox/seal/excerpt.js';
import { missingKeyOf } from '../outbox/seal/seal.js';
import type { ErasedRow } from '../outbox/store/operator-store.js';
import { scanRows } from '../outbox/store/store.js';
import { isWithin, type Narrowing, type OperatorContext } from './context.js';
import { storeDecision, type Who } from './decision-log.js';
import { type ReportSummary, stateOf } from './reports.js';

interface PlayerReports extends Pick<ReportSummary, 'account' | 'environment' | 'operation' | 'state'> {
  reports: number;
  bodies: number;
  /** Withdrawals of which only the location and the player's id are stored. */
  locations: number;
  /** Of `enqueuedAt`. */
  firstAt: number;
  lastAt: number;
}

export interface PlayerData {
  readonly places: readonly PlayerReports[];
  /** Final reports whose body, or location, can be erased or was erased by this call. */
  readonly erasable: number;
  readonly erased: number;
  /** Whether the database's own log was emptied after an erasure. Undefined without one, or over PostgreSQL. */
  readonly logEmptied: boolean | undefined;
  /** Reports that are not final: their bodies must be sent, so they stay. */
  readonly open: number;
  /** Reports that were looked at, and those with neither a body nor a location. */
  readonly looked: number;
  readonly empty: number;
  /** Reports that could not be read without a key, by its id. */
  readonly locked: Readonly<Record<string, number>>;
  /** Reports that could not be read for another reason, such as a damage. */
  readonly unreadable: number;
}

interface PlayerRequest extends Narrowing {
  /**
   * The player's id at the operator: `user.user_id` or `userId` of a report. It is compared here, and stored nowhere.
   * Blanks at its ends do not count, in the reports neither.
   */
  readonly player: string;
  /** The person who erases the data, and the reason. Without it, the data is only counted. */
  readonly erase?: Who | undefined;
}

/** The initiated report of a settled one, and the other way round. */
const siblingsOf = ({ operation, reference, ...place }: Row): string[] =>
  operationNames.flatMap((name) => {
    const [row, own] = [operations[name], operations[operation]];
    const isSibling = ('after' in row && row.after === operation) || ('after' in own && own.after === name);
    return isSibling ? [rowId(place, name, reference)] : [];
  });

const PAGE = 500;

/**
 * Finds the reports of one player, and erases the bodies of the final ones if a person asks for it. Receipts,
 * fingerprints and rows stay. The player's id is inside the bodies, so this opens every stored body, page by page. A
 * report that names no player belongs to the player that the other report of its reference names.
 *
 * After an interruption, call it again: it erases the rest.
 */
export async function readPlayer(context: OperatorContext, request: PlayerRequest): Promise<PlayerData> {
  const { store, seal, operator } = context;
  const { player, account, environment, erase } = request;
  const places = new Map<string, PlayerReports>();
  const locked: Record<string, number> = {};
  let [erasable, erased, open, looked, empty, unreadable] = [0, 0, 0, 0, 0, 0];
  let isLogged = false;
  let found: ErasedRow[] = [];

  async function playersOf(row: Row): Promise<unknown[]> {
    const kept = await openKept(seal, row);
    return [asRecord(kept?.user).user_id, kept?.userId]
      .filter((id) => id !== undefined)
      .map((id) => (typeof id === 'string' ? id.trim() : id));
  }

  function countUnread(error: unknown): unknown[] {
    const keyId = missingKeyOf(error);
    if (keyId === undefined) unreadable += 1;
    else locked[keyId] = (locked[keyId] ?? 0) + 1;
    return [];
  }

  function count(row: Row): void {
    const { account, environment, operation, enqueuedAt } = row;
    const state = stateOf(row);
    const key = `${account}:${environment}:${operation}:${state}`;
    const times = { firstAt: enqueuedAt, lastAt: enqueuedAt };
    const first = { account, environment, operation, state, reports: 0, bodies: 0, locations: 0, ...times };
    const place = places.get(key) ?? first;
    places.set(key, place);
    place.reports += 1;
    if (row.body !== undefined) place.bodies += 1;
    else if (holdsPersonalData(row)) place.locations += 1;
    place.firstAt = Math.min(place.firstAt, enqueuedAt);
    place.lastAt = Math.max(place.lastAt, enqueuedAt);
    if (!isFinal(row.state)) open += 1;
    else if (holdsPersonalData(row)) {
      erasable += 1;
      found.push(row);
    }
  }

  /** In one commit. The decision is stored first. */
  async function eraseFound(): Promise<void> {
    const rows = found;
    found = [];
    if (!erase || rows.length === 0) return;
    const about = { ...(account && { account }), ...(environment && { environment }) };
    if (!isLogged) await storeDecision(context, erase, { action: 'erase', about, done: true });
    isLogged = true;
    erased += await operator.erase(erase.decision, rows);
  }

  async function countSiblings(rows: readonly Row[]): Promise<void> {
    // One that names a player is found by itself.
    for (const row of await store.get(rows.flatMap(siblingsOf)))
      if (row && (await playersOf(row).catch(() => undefined))?.length === 0) count(row);
  }

  let page: Row[] = [];
  for await (const row of scanRows(store, { account, environment }, PAGE)) {
    if (!isWithin(context, row, { account, environment })) continue;
    looked += 1;
    if (!holdsPersonalData(row)) {
      empty += 1;
      continue;
    }
    if (!(await playersOf(row).catch(countUnread)).includes(player.trim())) continue;
    count(row);
    page.push(row);
    if (page.length < PAGE / 2) continue;
    await countSiblings(page);
    await eraseFound();
    page = [];
  }
  await countSiblings(page);
  await eraseFound();
  // Also if nothing was found: an earlier erasure may have been interrupted before it.
  const logEmptied = erase && (await operator.emptyLog?.());
  return { places: [...places.values()], erasable, erased, logEmptied, open, looked, empty, locked, unreadable };
}
