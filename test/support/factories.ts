import type { BetEvent, Location, SettledBet, SettledWithdrawal, WithdrawalEvent } from '../../src/entries/index.js';
import type { Row } from '../../src/outbox/rules/state-machine.js';

export const betUser = (overrides: Partial<BetEvent['user']> = {}): BetEvent['user'] => ({
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: '2034567890123',
  ...overrides,
});

export const betEvent = (overrides: Partial<BetEvent> = {}): BetEvent => ({
  bet_id: 'BET-1',
  amount: 1500,
  user: betUser(),
  ...overrides,
});

export const settledBet = (overrides: Partial<SettledBet> = {}): SettledBet => ({
  bet_id: 'BET-1',
  user: betUser(),
  win_amount: 2175,
  payout_amount: 3675,
  outcome: 'WIN',
  ggr: -2175,
  ur: 0,
  ...overrides,
});

export const withdrawalEvent = (overrides: Partial<WithdrawalEvent> = {}): WithdrawalEvent => ({
  request_id: 'WR-1',
  amount: 25000.75,
  user: {
    user_id: 'U-88412',
    full_name: 'Adaeze Okonkwo',
    residence_address: '4 Ogui Road',
    residence_state: 'ENUGU',
    residence_lga: 'Enugu North',
    tax_id: '2034567890123',
    nin: '99012345678',
    residency_status: 'RESIDENT',
  },
  metadata: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '0042' },
  withdrawalId: 'W-1',
  userId: 'U-88412',
  ...overrides,
});

/** A location with every field, as a settled withdrawal needs it. */
export const LOCATION: Required<Location> = {
  latitude: 6.45,
  longitude: 3.39,
  city: 'Lagos',
  region: 'LA',
  country: 'NG',
  accuracy: 10,
  source: 'test',
};

/** Without a location, which the SDK finds. */
/** The coordinates of a browser: their members are getters, and there are more than a report takes. */
export class BrowserCoordinates {
  get [Symbol.toStringTag]() {
    return 'GeolocationCoordinates';
  }
  get latitude() {
    return 6.5;
  }
  get longitude() {
    return 3.3;
  }
  get accuracy() {
    return 20;
  }
  get heading() {
    return 90;
  }
}

export const settledWithdrawal = (overrides: Partial<SettledWithdrawal> = {}): SettledWithdrawal => ({
  ...withdrawalEvent(),
  timestamp: '1795162000',
  status: 'SUCCESS',
  ...overrides,
});

/** A row of an outbox that was never sent. Its id is derived from its other fields. */
export function outboxRow(overrides: Partial<Row> = {}): Row {
  const row = {
    account: 'default',
    environment: 'staging',
    operation: 'reportBetEvent',
    reference: 'B-1',
    ...overrides,
  } as const;
  return {
    id: [row.account, row.environment, row.operation, row.reference].join(':'),
    sequence: 1,
    waitsFor: undefined,
    blocked: false,
    body: '{}',
    fingerprint: 'print',
    excerpt: undefined,
    enqueuedAt: 0,
    dueAt: 0,
    changedAt: 0,
    outcome: undefined,
    message: undefined,
    requestId: undefined,
    problem: undefined,
    decisions: [],
    state: 'waiting',
    fence: 0,
    attempts: 0,
    inDoubt: false,
    doubtBefore: false,
    ...row,
  };
}

/** Bets for `reportAll`: B-0, B-1 and so on. */
export const betReports = <Options = undefined>(count: number, name = 'B', options?: Options) =>
  Array.from({ length: count }, (_, index) => ({
    operation: 'reportBetEvent' as const,
    payload: betEvent({ bet_id: `${name}-${index}` }),
    ...(options && { options }),
  }));

/** Settled bets for `reportAll`. */
export const settlementReports = (count: number, name = 'B') =>
  Array.from({ length: count }, (_, index) => ({
    operation: 'reportSettledBet' as const,
    payload: settledBet({ bet_id: `${name}-${index}` }),
  }));
