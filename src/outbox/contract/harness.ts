import { type Change, LONGEST_WAIT_MS, type Row } from '../state-machine.js';
import type { Claimant, NewRow, OutboxStore, TurnResult } from '../store.js';

/** A store under test, empty at first, and power over its clock. */
export interface StoreHarness {
  /** The store under test. */
  readonly store: OutboxStore;
  /** Lets the store's clock go on; with a negative number, jump back. Making stored times earlier by as much is as good. */
  advance(milliseconds: number): void | Promise<void>;
  /** Another store on the same data, as another process or tab has it. Without it those cases are left out. */
  another?(): Promise<OutboxStore>;
  /** The store as it is found after this process died without a word. Without it those cases are left out. */
  reopen?(): Promise<OutboxStore>;
  /** Power over stored bytes, as a failing disk has it. Without it those cases are left out. */
  readonly damage?: Damage;
  /** Gives back what the harness opened. */
  close?(): void | Promise<void>;
}

/** Makes parts of stored rows unreadable. */
export interface Damage {
  /** The parts of a row that this store can hold unreadable. */
  readonly parts: readonly (keyof Row)[];
  /** Makes one part of a row unreadable, and changes nothing else. */
  spoil(id: string, part: keyof Row): void | Promise<void>;
  /** Writes this text into one part of a row, and changes nothing else. Without it that case is left out. */
  replace?(id: string, part: keyof Row, text: string): void | Promise<void>;
}

/** Makes an empty store for each case. */
export type MakeHarness = () => StoreHarness | Promise<StoreHarness>;

/** One thing that a store must do. */
export interface ContractCase {
  /** What it does, as a sentence. */
  readonly name: string;
  /** Rejects with an `Error` that says what was expected, where the store does not do it. */
  run(make: MakeHarness): Promise<void>;
}

export type Check = (harness: StoreHarness) => Promise<void>;

/** A case; the harness is closed after it, however it ends. */
export const contractCase = (name: string, check: Check): ContractCase => ({
  name,
  run: async (make) => {
    const harness = await make();
    try {
      await check(harness);
    } finally {
      await harness.store.close?.();
      await harness.close?.();
    }
  },
});

/** Compares data; what is undefined is not there. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [seen, wanted] = [canonical(actual), canonical(expected)];
  if (seen !== wanted) throw new Error(`${what}: expected ${wanted}, got ${seen}`);
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'undefined';

export const LEASE_MS = 30_000;
export const DAY_MS = LONGEST_WAIT_MS;

export const ACCOUNT = 'default';
export const GATEWAYS = { staging: 'https://staging.example.com', production: 'https://production.example.com', relay: 'https://relay.example.com' } as const;

/** Who claims, unless a case says otherwise. */
export const CLAIMANT: Claimant = { account: ACCOUNT, gateways: GATEWAYS, busy: 0 };

/** The destination of most cases. */
export const STAGING = { account: ACCOUNT, environment: 'staging' } as const;

/** A new row: a bet, or what is given instead. */
export const newRow = (reference: string, overrides: Partial<NewRow> = {}): NewRow => {
  const { account = ACCOUNT, environment = 'staging', operation = 'reportBetEvent' } = overrides;
  const body = `{"bet_id":${JSON.stringify(reference)}}`;
  return {
    id: `${account}:${environment}:${operation}:${reference}`,
    account,
    environment,
    operation,
    reference,
    waitsFor: undefined,
    body,
    fingerprint: `print-${reference}`,
    gateway: GATEWAYS[environment],
    ...overrides,
  };
};

/** The settled report to a bet. */
export const settledRow = (reference: string, overrides: Partial<NewRow> = {}): NewRow =>
  newRow(reference, {
    operation: 'reportSettledBet',
    waitsFor: `${overrides.account ?? ACCOUNT}:${overrides.environment ?? 'staging'}:reportBetEvent:${reference}`,
    ...overrides,
  });

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

export const claim = async (store: OutboxStore, limit = 10, accounts: readonly Claimant[] = [CLAIMANT]): Promise<readonly Row[]> =>
  (await store.turn({ writes: [], claim: { accounts, limit, leaseMs: LEASE_MS } })).claimed;

/** Claims the one row that there must be. */
export async function claimOne(store: OutboxStore): Promise<Row> {
  const rows = await claim(store);
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`one row to claim: expected one, got ${rows.length}`);
  return row;
}

/** The row as it is in the store. */
export async function read(store: OutboxStore, id: string): Promise<Row> {
  const [row] = await store.get([id]);
  if (!row) throw new Error(`${id}: expected a row, got none`);
  return row;
}

/** A change of a row that was claimed; recorded, unless something else is given. */
export const change = (row: Row, overrides: Partial<Change> = {}): Change => ({
  state: 'recorded',
  fence: row.fence,
  attempts: row.attempts,
  inDoubt: false,
  doubtBefore: row.doubtBefore,
  delayMs: 0,
  outcome: 'recorded',
  message: undefined,
  requestId: undefined,
  problem: undefined,
  decisions: [],
  keepBody: false,
  ...overrides,
});

export const WAITS: Partial<Change> = { state: 'waiting', outcome: undefined, keepBody: true };
export const QUARANTINED: Partial<Change> = { state: 'quarantined', outcome: undefined, keepBody: true };

export const DISMISSED: Partial<Change> = { state: 'dismissed', outcome: undefined };

/** Writes the end of a claim. */
export const write = (store: OutboxStore, row: Row, overrides: Partial<Change> = {}): Promise<TurnResult> =>
  store.turn({ writes: [{ id: row.id, expected: { state: row.state, fence: row.fence }, change: change(row, overrides) }], claim: undefined });
