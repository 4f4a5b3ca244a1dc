import { type Change, LONGEST_WAIT_MS, type Row } from '../../../src/outbox/rules/state-machine.js';
import type { Claimant, NewRow, OutboxStore, TurnResult } from '../../../src/outbox/store/store.js';

/** A store under test, empty at first, with control of its clock. */
export interface StoreHarness {
  /** The store under test. */
  readonly store: OutboxStore;
  /**
   * Moves the store's clock forward; a negative number moves it back. You may move the stored times instead, in the
   * other direction.
   */
  advance(milliseconds: number): void | Promise<void>;
  /**
   * Opens another store on the same data, like another process or tab. Without it, the cases that need it pass without
   * a check.
   */
  another?(): Promise<OutboxStore>;
  /** Opens the store as after a crash of this process. Without it, the cases that need it pass without a check. */
  reopen?(): Promise<OutboxStore>;
  /** Damages stored bytes, like a failing disk. Without it, the cases that need it pass without a check. */
  readonly damage?: Damage;
  /** Closes everything that the harness has opened. */
  close?(): void | Promise<void>;
}

/** Damages parts of stored rows. */
export interface Damage {
  /** The parts of a row that can be damaged in this store. */
  readonly parts: readonly (keyof Row)[];
  /** Damages one part of a row, and changes nothing else. */
  spoil(id: string, part: keyof Row): void | Promise<void>;
  /** The parts of a row's id that the store does not refuse to change in the row alone. Default: all. */
  readonly replaced?: readonly (keyof Row)[];
  /** Writes this text into one part of a row, and changes nothing else. Without it, its case passes without a check. */
  replace?(id: string, part: keyof Row, text: string): void | Promise<void>;
}

/** Makes an empty store for each case. */
export type MakeHarness = () => StoreHarness | Promise<StoreHarness>;

/** One requirement for a store. */
export interface ContractCase {
  /** The requirement in a sentence. */
  readonly name: string;
  /**
   * Runs the case. Rejects with an `Error` that names the expected value if the store does not meet the requirement.
   */
  run(make: MakeHarness): Promise<void>;
}

export type Check = (harness: StoreHarness) => Promise<void>;

/** Makes a case. The harness is always closed after it. */
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

/** Compares data. An undefined member equals an absent one. */
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
export const GATEWAYS = {
  staging: 'https://staging.example.com',
  production: 'https://production.example.com',
  relay: 'https://relay.example.com',
} as const;

/** The default claimant. */
export const CLAIMANT: Claimant = { account: ACCOUNT, gateways: GATEWAYS, busy: 0 };

/** The destination of most cases. */
export const STAGING = { account: ACCOUNT, environment: 'staging' } as const;

/** Makes a new row: a bet, with the given overrides. */
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

/** Makes the settled report of a bet. */
export const settledRow = (reference: string, overrides: Partial<NewRow> = {}): NewRow =>
  newRow(reference, {
    operation: 'reportSettledBet',
    waitsFor: `${overrides.account ?? ACCOUNT}:${overrides.environment ?? 'staging'}:reportBetEvent:${reference}`,
    ...overrides,
  });

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

export const claim = async (
  store: OutboxStore,
  limit = 10,
  accounts: readonly Claimant[] = [CLAIMANT],
): Promise<readonly Row[]> => (await store.turn({ writes: [], claim: { accounts, limit, leaseMs: LEASE_MS } })).claimed;

/** Claims exactly one row. Throws if there is another number. */
export async function claimOne(store: OutboxStore): Promise<Row> {
  const rows = await claim(store);
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`one row to claim: expected one, got ${rows.length}`);
  return row;
}

/** Reads a row. */
export async function read(store: OutboxStore, id: string): Promise<Row> {
  const [row] = await store.get([id]);
  if (!row) throw new Error(`${id}: expected a row, got none`);
  return row;
}

/** Makes a change of a claimed row. Default: recorded. */
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

/** Writes a change of a claimed row. */
export const write = (store: OutboxStore, row: Row, overrides: Partial<Change> = {}): Promise<TurnResult> =>
  store.turn({
    writes: [{ id: row.id, expected: { state: row.state, fence: row.fence }, change: change(row, overrides) }],
    claim: undefined,
  });
