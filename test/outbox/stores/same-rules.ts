import fc from 'fast-check';
import { expect } from 'vitest';
import { ENVIRONMENTS } from '../../../src/core/errors/errors.js';
import { memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import { rowBefore, rowId } from '../../../src/outbox/intake/enqueue.js';
import { type Destination, keyOf, OUTBOX_ENVIRONMENTS, PAUSE_REASONS } from '../../../src/outbox/rules/destination.js';
import {
  type Change,
  isClaimable,
  isFinal,
  LARGEST_COUNT,
  LONGEST_WAIT_MS,
  MOST_WORDS,
  type Problem,
  type ProblemCode,
  ROW_STATES,
  type Row,
  type Write,
} from '../../../src/outbox/rules/state-machine.js';
import type { ClaimRequest, NewRow, TurnResult } from '../../../src/outbox/store/store.js';
import { HEAD_OF_THE_QUEUE } from '../../../src/outbox/stores/claim-order.js';
import { matches } from '../../../src/outbox/stores/row-queries.js';
import type { FakeClock } from '../../support/fake-clock.js';

// A rule of the outbox stands in TypeScript, and again in the SQL of a store that would otherwise read every row. Here the
// same random rows are written to a store in SQL and to the memory store, which only asks the rules in TypeScript, and
// both must answer the same. The order of claims is compared in `contract/order.ts`.

const OPERATIONS = ['reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'] as const;
const ACCOUNTS = ['default', 'B_2.-', 'b'] as const;
const MANY = 1_000;

/** The group of a problem: only the databases compute it. */
function problemKeyOf(problem: Problem | undefined) {
  const { code = 'unknown', message = '' } = problem ?? {};
  const words = message.slice(message.includes(': ') ? message.indexOf(': ') + 2 : 0);
  return { code, words: [...words].slice(0, MOST_WORDS).join('') };
}

/** Texts that a language may count, cut, compare or escape in another way. */
const piece = fc.constantFrom(
  ...[
    'a',
    'B',
    '0',
    ' ',
    ':',
    ': ',
    ':  ',
    '😀',
    '👩‍👧',
    'é',
    'e\u0301',
    '\u0301',
    'ß',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u{10ffff}',
    '\ufffd',
  ],
  ...[
    '"',
    "'",
    '\\',
    '\\u0000',
    '"keyId":',
    '%',
    '$[#]',
    '\n',
    '\t',
    '\u007f',
    'true',
    'null',
    '{}',
    ':\u00a0',
    '\uff1a ',
  ],
);
const shortText = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
/** A message near the length at which the words of its group are cut. */
const longText = fc
  .tuple(shortText, fc.constantFrom('a', '😀', 'e\u0301', ': '), fc.integer({ min: 196, max: 403 }), shortText)
  .map(([before, filling, count, after]) => before + filling.repeat(count) + after);
const text = fc.oneof({ weight: 3, arbitrary: shortText }, { weight: 1, arbitrary: longText });
const reference = fc.oneof(
  fc.constantFrom('B-1', 'B-2'),
  shortText.filter((one) => one !== '' && !/\p{Cc}/u.test(one)),
);

const environment = fc.constantFrom(...OUTBOX_ENVIRONMENTS);
const account = fc.constantFrom(0, 0, 0, 1, 2);
const operation = fc.constantFrom(...OPERATIONS);
const destination = { account, environment };

const problem: fc.Arbitrary<Problem> = fc.record(
  {
    code: fc
      .oneof(fc.constantFrom('gateway', 'network', 'conflict', 'unknown'), text)
      .map((code) => code as ProblemCode),
    message: text,
    keyId: text,
    status: fc.constantFrom(400, 409),
    details: fc.oneof(text, fc.record({ keyId: text, message: text })),
  },
  { requiredKeys: ['code', 'message'] },
);

/** Times before and after now, at each edge of a rule. */
const delay = fc.oneof(
  fc.constantFrom(-1, 0, 1, LONGEST_WAIT_MS - 1, LONGEST_WAIT_MS, LONGEST_WAIT_MS + 1, 10 * LONGEST_WAIT_MS),
  fc.constantFrom('earliest' as const, 'latest' as const),
  fc.integer({ min: -1e9, max: 1e9 }),
);
const count = fc.constantFrom(0, 0, 1, 2, 7, LARGEST_COUNT - 5);

/** A change as an attempt or a person makes it: only a recorded row has a result. */
const target = fc.record({
  state: fc.constantFrom(...ROW_STATES),
  fence: count,
  attempts: count,
  inDoubt: fc.boolean(),
  doubtBefore: fc.boolean(),
  delay,
  keepBody: fc.boolean(),
  problem: fc.option(problem, { nil: undefined }),
  reason: fc.option(text, { nil: undefined }),
  message: text,
});
type Target = typeof target extends fc.Arbitrary<infer T> ? T : never;

const pause = fc.record({
  ...destination,
  operation: fc.option(operation, { nil: undefined }),
  version: fc.constantFrom(0, 0, 1),
  reason: fc.option(fc.constantFrom(...PAUSE_REASONS), { nil: undefined }),
  message: fc.option(text, { nil: undefined }),
  strikes: fc.nat({ max: 3 }),
  forMs: fc.constantFrom(0, 1, LONGEST_WAIT_MS, 10 * LONGEST_WAIT_MS),
  continues: fc.boolean(),
  repeats: fc.boolean(),
});

const GATEWAYS = ['https://a.example', 'https://b.example/é😀'] as const;
const gateway = fc.constantFrom(...GATEWAYS, ...GATEWAYS, undefined);
const claim = fc.record({
  accounts: fc.uniqueArray(
    fc.record({
      account,
      busy: fc.nat({ max: 3 }),
      gateways: fc.record({ staging: gateway, production: gateway, relay: gateway }),
    }),
    { selector: (one) => one.account, maxLength: 3 },
  ),
  probe: fc.option(fc.record({ ...destination, operation: fc.option(operation, { nil: undefined }) }), {
    nil: undefined,
    freq: 3,
  }),
  without: fc.array(fc.record({ ...destination, operation }), { maxLength: 3 }),
});

const world = fc.record({
  rows: fc.uniqueArray(
    fc.record({ ...destination, environment: fc.constantFrom('staging', ...ENVIRONMENTS), operation, reference }),
    {
      selector: (row) => `${row.account} ${row.environment} ${row.operation} ${row.reference}`,
      minLength: 1,
      maxLength: 12,
    },
  ),
  gateways: fc.array(fc.constantFrom(...GATEWAYS), { minLength: 9, maxLength: 9 }),
  targets: fc.array(fc.option(target, { nil: undefined, freq: 4 }), { minLength: 12, maxLength: 12 }),
  logged: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  pauses: fc.array(pause, { maxLength: 4 }),
  steps: fc.tuple(fc.constantFrom(0, 1, 1_000), fc.constantFrom(0, 1, LONGEST_WAIT_MS)),
  query: fc.record(
    {
      account,
      state: fc.constantFrom(...ROW_STATES),
      environment,
      operation,
      reference,
      blocked: fc.boolean(),
      from: fc.boolean(),
      to: fc.boolean(),
    },
    { requiredKeys: ['account'] },
  ),
  claims: fc.array(claim, { minLength: 1, maxLength: 2 }),
  later: fc.array(fc.record({ index: fc.nat({ max: 11 }), late: fc.constantFrom(0, 0, 0, 1), target }), {
    maxLength: 6,
  }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const TARGET: Target = {
  ...{ state: 'in-flight', fence: 1, attempts: 1, inDoubt: true, doubtBefore: false, delay: 'earliest' },
  ...{ keepBody: true, problem: undefined, reason: undefined, message: '' },
};
const WORLD: World = {
  rows: [{ account: 0, environment: 'staging', operation: 'reportBetEvent', reference: 'B-1' }],
  ...{ gateways: [], targets: [TARGET], logged: [true], pauses: [], steps: [0, 0], claims: [], later: [] },
  query: { account: 0, state: 'waiting' },
};
const DISMISSED: Target = { ...TARGET, state: 'dismissed', fence: 0 };

const CLAIM: World['claims'][number] = {
  accounts: [{ account: 0, busy: 0, gateways: { staging: GATEWAYS[0], production: undefined, relay: undefined } }],
  probe: undefined,
  without: [],
};
const SETTLED = { ...WORLD.rows[0], operation: 'reportSettledBet' } as World['rows'][number];

/** Worlds that random ones meet too rarely, and those that were answered differently once. */
const EXAMPLES: readonly World[] = [
  // A row in flight whose lease ended at the earliest time was listed as waiting.
  WORLD,
  // A row that ends a second time needs a second line in the log before it may change.
  {
    ...WORLD,
    targets: [DISMISSED],
    later: [DISMISSED, { ...DISMISSED, state: 'waiting' as const }].map((target) => ({ index: 0, late: 0, target })),
  },
  // A clock has jumped.
  { ...WORLD, targets: [{ ...TARGET, state: 'waiting', delay: LONGEST_WAIT_MS + 1 }], claims: [CLAIM] },
  // A settlement comes first, and waits.
  { ...WORLD, rows: [SETTLED, ...WORLD.rows], targets: [], claims: [CLAIM] },
  // A dismissed report stays so while its settlement is in flight.
  {
    ...WORLD,
    rows: [...WORLD.rows, SETTLED],
    targets: [DISMISSED, TARGET],
    later: [{ index: 0, late: 0, target: { ...DISMISSED, state: 'waiting' } }],
  },
  // A dismissed report is reopened after its settlement was seen to wait for nothing.
  {
    ...WORLD,
    rows: [...WORLD.rows, SETTLED],
    targets: [DISMISSED],
    later: [{ index: 0, late: 0, target: { ...DISMISSED, state: 'waiting' } }],
  },
  // The lease of a settlement is over, and its bet came later.
  { ...WORLD, rows: [SETTLED, ...WORLD.rows], steps: [0, 1], claims: [CLAIM] },
  // So is that of a settlement whose operation is left out of the claim.
  {
    ...WORLD,
    rows: [...WORLD.rows, SETTLED],
    targets: [{ ...DISMISSED, state: 'quarantined' }, TARGET],
    claims: [{ ...CLAIM, without: [{ account: 0, environment: 'staging', operation: 'reportSettledBet' }] }],
  },
  // The probe of a breaker takes nothing while its destination is paused.
  {
    ...WORLD,
    targets: [],
    pauses: [
      {
        ...{
          account: 0,
          environment: 'staging',
          operation: undefined,
          version: 0,
          reason: 'unavailable',
          message: 'x',
        },
        ...{ strikes: 1, forMs: 0, continues: false, repeats: false },
      },
    ],
    claims: [{ ...CLAIM, probe: { account: 0, environment: 'staging', operation: 'reportBetEvent' } }],
  },
];

let runs = 0;

/**
 * Compares a store with the rules in TypeScript over random rows. Each run has its own accounts, so that it needs no new store.
 * `setTime` is called after each change of the clock, which all stores share. With `blocksAtClaims`, the store finds out at
 * the next claim that a reopened report blocks its settlement, and counts this settlement as waiting until then.
 */
export async function sameRules(
  store: OutboxStore,
  clock: FakeClock,
  {
    numRuns,
    setTime,
    blocksAtClaims = false,
  }: { numRuns: number; setTime?: () => Promise<unknown>; blocksAtClaims?: boolean },
): Promise<void> {
  const memory = memoryStore({ now: clock.now });
  await fc.assert(
    fc.asyncProperty(world, (given) => compare(given)),
    { numRuns, interruptAfterTimeLimit: 60_000, examples: EXAMPLES.map((one): [World] => [one]) },
  );

  async function compare(given: World): Promise<void> {
    runs += 1;
    const ofRun = (index: number) => `${ACCOUNTS[index]}${runs}`;
    const scope = <T extends { readonly account: number }>(one: T) => ({ ...one, account: ofRun(one.account) });
    const accounts = ACCOUNTS.map((_, index) => ofRun(index));
    const gatewayOf = (at: number, where: Row['environment']) =>
      given.gateways[at * OUTBOX_ENVIRONMENTS.length + OUTBOX_ENVIRONMENTS.indexOf(where)] ?? GATEWAYS[0];
    const same = async <T>(
      what: string,
      ask: (one: OutboxStore) => Promise<T>,
      shown: (answer: T) => unknown = (x) => x,
    ) => {
      const [sql, rule] = [await ask(store), await ask(memory)];
      expect({ [what]: shown(sql) }).toEqual({ [what]: shown(rule) });
      return rule;
    };
    const pass = async (by: number) => {
      clock.advance(by);
      await setTime?.();
    };

    const rows = given.rows.map(({ account: at, environment: where, operation: name, reference: ref }): NewRow => {
      const place = { account: ofRun(at), environment: where };
      const id = rowId(place, name, ref);
      return {
        ...place,
        id,
        operation: name,
        reference: ref,
        waitsFor: rowBefore(place, name, ref),
        body: `"${ref}"`,
        fingerprint: `print ${id}`,
        gateway: gatewayOf(at, where),
      };
    });
    const ids = rows.map(({ id }) => id);
    await same(
      'enqueue',
      (one) => one.enqueue(rows),
      (all) => all.map(({ added }) => added),
    );
    await same('bind', (one) =>
      one.bind(
        ACCOUNTS.flatMap((_, at) =>
          OUTBOX_ENVIRONMENTS.map((where) => ({
            account: ofRun(at),
            environment: where,
            gateway: gatewayOf(at, where),
          })),
        ),
      ),
    );

    await pass(given.steps[0]);
    const first = ids.flatMap((id, index): Write[] => {
      const to = given.targets[index];
      return to ? [{ id, expected: { state: 'waiting', fence: 0 }, change: changeOf(to, clock.now()) }] : [];
    });
    await same('turn', (one) => one.turn({ writes: first, claim: undefined }), ended);
    const logged = first.filter(({ change }, index) => isFinal(change.state) && given.logged[index]);
    await same('append', async (one) => {
      const length = await lengthOf(one);
      return one.receipts.append(logged.map(({ id }, index) => ({ index: length + index, id, line: '{}' })));
    });
    for (const one of given.pauses) await same('pause', (at) => at.pause(scope(one)));

    await pass(given.steps[1]);
    await observe();
    for (const { accounts: claimants, probe, ...rest } of given.claims) {
      const request: ClaimRequest = {
        ...rest,
        limit: MANY,
        leaseMs: 30_000,
        accounts: claimants.map(scope),
        without: rest.without.map(scope),
        ...(probe && { probe: scope(probe) }),
      };
      const shown = (all: readonly Row[]) =>
        [...all].sort((a, b) => (a.id < b.id ? -1 : 1)).map((row) => shownRow(row, clock.now()));
      await same(
        `claim ${JSON.stringify(request)}`,
        (one) => one.turn({ writes: [], claim: request }),
        ({ claimed }) => shown(claimed),
      );
      await observe();
    }
    const before = await memory.get(ids);
    const later = given.later.flatMap(({ index, late, target: to }): Write[] => {
      const row = before[index];
      // Nothing that decides ever moves a recorded row.
      return row && row.state !== 'recorded'
        ? [
            {
              id: row.id,
              expected: { state: row.state, fence: row.fence + late },
              change: changeOf(to, clock.now(), row),
            },
          ]
        : [];
    });
    for (const one of later)
      await same(`write ${JSON.stringify(one)}`, (at) => at.turn({ writes: [one], claim: undefined }), ended);
    await observe();

    /** Everything that a store tells about its rows and destinations. */
    async function observe(): Promise<void> {
      const now = clock.now();
      const found = (
        await same(
          'get',
          (one) => one.get(ids),
          (all) => all.map((row) => row && shownRow(row, now)),
        )
      ).flatMap((row) => row ?? []);
      const { from, to, blocked, account: at, ...rest } = given.query;
      const query = { ...rest, account: ofRun(at) };
      await same('list', (one) => one.list({ ...query, limit: MANY }), idsOf);
      await same(
        'counts',
        (one) => one.counts(accounts),
        ({ countedAt: _, states: { waiting, blocked, ...states }, ...counts }) => ({
          ...counts,
          states: { ...states, ...(blocksAtClaims ? { unsent: waiting + blocked } : { waiting, blocked }) },
        }),
      );
      await same('missing keys', (one) => one.missingKeys(accounts));
      const { reference: _, ...search } = query;
      const page = await store.operator?.search({
        ...search,
        blocked,
        from: from ? now : undefined,
        to: to ? now : undefined,
        before: Number.MAX_SAFE_INTEGER,
        limit: MANY,
        look: MANY,
      });
      const wanted = found.filter(
        (row) =>
          matches(row, search) &&
          (blocked ?? row.blocked) === row.blocked &&
          (!from || row.enqueuedAt >= now) &&
          (!to || row.enqueuedAt < now),
      );
      expect({ search: idsOf(page?.rows ?? []) }).toEqual({ search: idsOf(wanted) });
      const hasBlocked = (place: Destination) => found.some((row) => row.blocked && keyOf(row) === keyOf(place));
      await same(
        'outlook',
        (one) => one.outlook(accounts),
        (all) =>
          all
            .map(({ nextInMs, rebound: _, ...one }) => ({
              ...one,
              breakers: [...one.breakers].sort((a, b) => (`${a.operation}` < `${b.operation}` ? -1 : 1)),
              // PostgreSQL finds out at the next claim that a row is blocked, and looks for one until then.
              nextInMs: nextInMs === undefined || hasBlocked(one) ? undefined : Math.max(0, nextInMs),
            }))
            .sort((a, b) => (a.account + a.environment < b.account + b.environment ? -1 : 1)),
      );
      const groups = new Map<string, Row[]>();
      for (const row of found)
        if (row.state === 'quarantined') {
          const { code, words } = problemKeyOf(row.problem);
          const key = JSON.stringify([row.account, row.environment, code, words]);
          groups.set(key, [...(groups.get(key) ?? []), row]);
        }
      const shown = (await store.operator?.problemGroups())?.filter((one) => accounts.includes(one.account)) ?? [];
      const keysOf = shown.map((one) => [
        JSON.stringify([one.account, one.environment, one.code, one.words]),
        one.count,
      ]);
      expect({ groups: new Map(keysOf as [string, number][]) }).toEqual({
        groups: new Map([...groups].map(([key, of]) => [key, of.length])),
      });
      for (const of of shown) {
        const page = await store.operator?.quarantined({ of, asOf: now, after: 0, limit: MANY });
        const key = JSON.stringify([of.account, of.environment, of.code, of.words]);
        expect({ quarantined: idsOf(page ?? []) }).toEqual({ quarantined: idsOf(groups.get(key) ?? []) });
      }
    }
  }
}

/** Without the breakers that a store saw: it need not look. */
const ended = ({ written, claimed }: TurnResult) => ({ written, claimed });

const idsOf = (rows: readonly Pick<Row, 'id'>[]) => rows.map(({ id }) => id).sort();

const lengthOf = async (store: OutboxStore) => ((await store.receipts.last())?.index ?? -1) + 1;

/**
 * A row without its number, and with one word for every due time at which it may be claimed: a store makes this time
 * the present one.
 */
function shownRow({ sequence: _, dueAt, ...row }: Row, now: number) {
  const isDue = isClaimable({ state: 'in-flight', blocked: false, dueAt, fence: row.fence }, now);
  return JSON.parse(JSON.stringify({ ...row, dueAt: isDue || isFinal(row.state) ? 'due' : dueAt }));
}

function changeOf(to: Target, now: number, before?: Row): Change {
  const { delay: given, reason, message, ...rest } = to;
  const delayMs =
    given === 'earliest' ? HEAD_OF_THE_QUEUE - now : given === 'latest' ? -HEAD_OF_THE_QUEUE - now : given;
  const isRecorded = rest.state === 'recorded';
  return {
    ...rest,
    fence: before ? Math.max(before.fence, 1) : rest.fence,
    // A dismissed report may be reopened, with the bytes that it has.
    keepBody: rest.keepBody || !isRecorded,
    delayMs,
    outcome: isRecorded ? 'recorded' : undefined,
    message: isRecorded ? message : undefined,
    requestId: isRecorded ? message : undefined,
    decisions: reason === undefined ? [] : [{ action: 'retry', reason, at: now }],
  };
}
