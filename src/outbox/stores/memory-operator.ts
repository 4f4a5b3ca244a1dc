import { SPANS } from '../receipts/pace.js';
import { type Destination, keyOf } from '../rules/destination.js';
import { problemKeyOf, type Row, type Write } from '../rules/state-machine.js';
import type {
  KeptDecision,
  NewDecision,
  OpenCounts,
  OperatorStore,
  PaceCount,
  ProblemCount,
  ProblemKey,
  RowPage,
  RowSearch,
} from '../store/operator-store.js';
import type { Counts } from '../store/store.js';

/** The parts of a memory store that its console uses. */
interface MemoryOperatorParts {
  rows(): Iterable<Row>;
  destinations(): Iterable<Destination>;
  rowAt(sequence: number): Row | undefined;
  /** The last `sequence` that was given. */
  last(): number;
  now(): number;
  finals(accounts: readonly string[] | undefined): Pick<Counts['states'], 'recorded' | 'dismissed'>;
  write(one: Write, at: number): boolean;
}

const withoutBody = (row: Row): Row => ({ ...row, body: undefined, excerpt: undefined });

const isOf = ({ account, environment, problem }: Row, of: ProblemKey): boolean => {
  const { code, words } = problemKeyOf(problem);
  return account === of.account && environment === of.environment && code === of.code && words === of.words;
};

/** The console methods of a memory store. */
export function memoryOperator({
  rows,
  destinations,
  rowAt,
  last,
  now,
  finals,
  write,
}: MemoryOperatorParts): OperatorStore {
  const decisions: KeptDecision[] = [];
  const steps = new Map<string, { readonly from: number; readonly sequences: readonly number[] }[]>();
  const paces = new Map<string, PaceCount>();
  let paced = 0;

  const quarantined = () => [...rows()].filter(({ state }) => state === 'quarantined');
  const find = (id: string) => decisions.find((one) => one.id === id);
  const put = (next: KeptDecision) => decisions.splice(next.number, 1, next);

  function openOf({ account, environment }: Destination): OpenCounts {
    const here = [...rows()].filter((row) => row.account === account && row.environment === environment);
    const count = (fits: (row: Row) => boolean) => here.filter(fits).length;
    const open = here
      .filter(({ state }) => state === 'waiting' || state === 'in-flight')
      .map(({ enqueuedAt }) => enqueuedAt);
    return {
      account,
      environment,
      waiting: count(({ state, blocked }) => state === 'waiting' && !blocked),
      blocked: count(({ blocked }) => blocked),
      inFlight: count(({ state }) => state === 'in-flight'),
      quarantined: count(({ state }) => state === 'quarantined'),
      oldestOpenAt: open.length > 0 ? Math.min(...open) : undefined,
    };
  }

  function problemGroups(): ProblemCount[] {
    const groups = new Map<string, ProblemCount>();
    for (const { account, environment, problem, changedAt, sequence } of quarantined()) {
      const of = { account, environment, ...problemKeyOf(problem) };
      const key = JSON.stringify(of);
      const before = groups.get(key) ?? { ...of, count: 0, firstAt: changedAt, lastAt: changedAt, example: sequence };
      const [firstAt, lastAt] = [Math.min(before.firstAt, changedAt), Math.max(before.lastAt, changedAt)];
      groups.set(key, {
        ...before,
        count: before.count + 1,
        firstAt,
        lastAt,
        example: Math.min(before.example, sequence),
      });
    }
    return [...groups.values()];
  }

  function begin({ asOf, undoes, ...decision }: NewDecision): KeptDecision {
    const there = find(decision.id);
    if (there) return there;
    const at = now();
    const kept = {
      ...decision,
      asOf: asOf ?? at,
      at,
      number: decisions.length,
      cursor: 0,
      touched: 0,
      skipped: 0,
      undoneBy: undefined,
    };
    decisions.push(kept);
    const undone = undoes === undefined ? undefined : find(undoes);
    if (undone) put({ ...undone, undoneBy: undone.undoneBy ?? decision.id });
    return kept;
  }

  function matches(
    row: Row,
    { accounts, account, environment, operation, state, blocked, from, to }: RowSearch,
  ): boolean {
    const isOfPlace =
      (accounts?.includes(row.account) ?? true) &&
      (account ?? row.account) === row.account &&
      (environment ?? row.environment) === row.environment;
    const isOfKind =
      (operation ?? row.operation) === row.operation &&
      (state ?? row.state) === row.state &&
      (blocked ?? row.blocked) === row.blocked;
    return (
      isOfPlace && isOfKind && row.enqueuedAt >= (from ?? row.enqueuedAt) && (to === undefined || row.enqueuedAt < to)
    );
  }

  return {
    now: async () => now(),
    open: async () => ({ countedAt: now(), places: [...destinations()].map(openOf) }),
    finals: async (accounts) => finals(accounts),
    problemGroups: async () => problemGroups(),
    quarantined: async ({ of, asOf, after, limit }) =>
      quarantined()
        .filter((row) => isOf(row, of) && row.changedAt <= asOf && row.sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit)
        .map(withoutBody),
    tally: async (of, asOf, withSettlements) => {
      const found = quarantined().filter((row) => isOf(row, of) && row.changedAt <= asOf);
      const ids = new Set(found.map(({ id }) => id));
      const operations: Record<string, number> = {};
      for (const { operation } of found) operations[operation] = (operations[operation] ?? 0) + 1;
      const settlements = [...rows()].filter(
        ({ waitsFor, blocked }) => withSettlements && blocked && waitsFor !== undefined && ids.has(waitsFor),
      ).length;
      return { count: found.length, inDoubt: found.filter(({ inDoubt }) => inDoubt).length, operations, settlements };
    },
    rows: async (sequences) =>
      [...sequences]
        .sort((a, b) => a - b)
        .flatMap((sequence) => rowAt(sequence) ?? [])
        .map(withoutBody),
    search: async (search) => {
      const found: Row[] = [];
      let reached: RowPage['reached'];
      let looked = 0;
      for (let sequence = Math.min(search.before - 1, last()); sequence > 0; sequence -= 1) {
        const row = rowAt(sequence);
        if (!row) continue;
        if (looked >= search.look || found.length >= search.limit) return { rows: found, reached };
        looked += 1;
        reached = { sequence, enqueuedAt: row.enqueuedAt };
        if (matches(row, search)) found.push(withoutBody(row));
      }
      return { rows: found, reached: undefined };
    },
    begin: async (decision) => begin(decision),
    step: async ({ id, from, to, done, skipped, writes }) => {
      const decision = find(id);
      if (!decision || decision.done || decision.undoneBy !== undefined || decision.cursor !== from) return undefined;
      const at = now();
      const written = writes.map((one) => write(one, at));
      const sequences = writes.filter((_, index) => written[index]).map(({ sequence }) => sequence);
      put({
        ...decision,
        cursor: to,
        done,
        touched: decision.touched + sequences.length,
        skipped: decision.skipped + skipped + writes.length - sequences.length,
      });
      if (sequences.length > 0) steps.set(id, [...(steps.get(id) ?? []), { from, sequences }]);
      return written;
    },
    decision: async (id) => find(id),
    decisions: async (before, limit) => decisions.slice(0, before).reverse().slice(0, limit),
    touched: async (id, after) => steps.get(id)?.find(({ from }) => from > after),
    paced: async () => paced,
    pace: async (from, to, counts) => {
      if (paced !== from) return false;
      paced = to;
      for (const count of counts) {
        const key = `${count.span} ${count.start} ${keyOf(count)}`;
        const { recorded = 0, dismissed = 0, sumMs = 0, classes = [] } = paces.get(key) ?? {};
        const added = {
          recorded: recorded + count.recorded,
          dismissed: dismissed + count.dismissed,
          sumMs: sumMs + count.sumMs,
        };
        paces.set(key, {
          ...count,
          ...added,
          classes: count.classes.map((number, place) => number + (classes[place] ?? 0)),
        });
      }
      for (const [key, { span, start }] of paces) if (start < now() - SPANS[span].keptMs) paces.delete(key);
      return true;
    },
    ended: async () => {
      const days = [...paces.values()].filter(({ span }) => span === 'day');
      const sum = (of: PaceCount, name: 'recorded' | 'dismissed') =>
        days.reduce((total, one) => total + (keyOf(one) === keyOf(of) ? one[name] : 0), 0);
      const first = days.filter((one, index) => days.findIndex((other) => keyOf(other) === keyOf(one)) === index);
      return first.map((one) => ({
        account: one.account,
        environment: one.environment,
        recorded: sum(one, 'recorded'),
        dismissed: sum(one, 'dismissed'),
      }));
    },
    paces: async (span, since) => [...paces.values()].filter((one) => one.span === span && one.start >= since),
  };
}
