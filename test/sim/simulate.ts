import { isChange } from '../../src/outbox/rules/decisions.js';
import type { Change, Row } from '../../src/outbox/rules/state-machine.js';
import type { NewRow } from '../../src/outbox/store/store.js';
import type { Catalogue } from './answers.js';
import { correctMany } from './correct-many.js';
import type { Coverage } from './coverage.js';
import { type Decisions, type Options, decisions as ours } from './decisions.js';
import { createGateway } from './gateway.js';
import { createNetwork } from './network.js';
import { createRandom, type Random } from './random.js';
import { createRules } from './rules.js';
import { ACCOUNTS, drawScenario, gatewaysOf, RARE_POLL_MS, type Report } from './scenario.js';
import { createSchedule } from './schedule.js';
import { haveSecondThoughts } from './second-thoughts.js';
import { createSharedBreaker } from './shared-breaker.js';
import { createStore, type Store } from './store.js';
import { type AccountGateways, createWorker, type Worker } from './worker.js';
import { breaks, nameOf, Violation, type World } from './world.js';

/** The defaults of the outbox and its client. */
export const OPTIONS: Options = { leaseMs: 30_000, attemptTimeoutMs: 10_000 };

export interface Given {
  readonly catalogue: Catalogue;
  readonly coverage: Coverage;
  readonly decisions?: Decisions;
  readonly options?: Options;
  readonly overlooked?: ReadonlySet<string>;
  readonly trace?: ((line: string) => void) | undefined;
}

const NOTHING: ReadonlySet<string> = new Set();

const DECIDED = { retry: 'a person retries', dismissed: 'a person dismisses', recorded: 'a person vouches' } as const;

/** A day of probes in an outage, every few seconds, while another account is paused for that day. */
const MOST_STEPS = 400_000;
const HOUR = 3_600_000;
/** The longest wait. */
const DAY = 24 * HOUR;
/** Far from the seeds that anyone begins with. */
const LATER = 1_500_000_000;
const LATER_STILL = 1_700_000_000;
const LATEST = 1_900_000_000;
const CORRECTED = 1_300_000_000;
/** Until then it searches for one: reports are enqueued at the begin. */
const LAST_GONE_BACK_MS = 20_000;
const JUMPS = [400, 4_000, 25_000, 90_000, 600_000];
/** Only if workers poll rarely. Otherwise it takes too many steps. */
const LONG_JUMPS = [2 * HOUR, 9 * HOUR, 30 * HOUR, 100 * HOUR];

/** Runs the history of a seed. Returns the broken rule, if there is one. */
export function simulate(
  seed: number,
  { catalogue, coverage, decisions = ours, options = OPTIONS, overlooked = NOTHING, trace }: Given,
): Violation | undefined {
  const random = createRandom(seed);
  const schedule = createSchedule();
  const later = createRandom(seed + LATER);
  const corrections = createRandom(seed + LATER_STILL);
  const thoughts = createRandom(seed + LATEST);
  const corrected = createRandom(seed + CORRECTED);
  const scenario = drawScenario(random, later, corrected);
  const stamped = trace && ((line: string) => trace(`${schedule.now().toFixed(0).padStart(9)} ms  ${line}`));
  const world: World = {
    random,
    schedule,
    scenario,
    catalogue,
    decisions,
    options,
    coverage,
    jumped: false,
    wentBack: false,
    forgot: false,
    settled: 0,
    overlooked,
    trace: stamped,
  };
  try {
    live(world, later, corrections, thoughts, corrected);
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
}

function live(world: World, later: Random, corrections: Random, thoughts: Random, corrected: Random): void {
  const { random, schedule, scenario, coverage, decisions, trace } = world;
  const { reports, wellAt } = scenario;
  let clockOffset = 0;
  const workers: Worker[] = [];
  const claimer = { worker: 0 };
  const breakers = createSharedBreaker(world);
  const rules = createRules(
    world,
    breakers,
    () => store,
    claimer,
    (worker, since) => workers[worker]?.stay.frozeSince(since) === true,
  );
  const store: Store = createStore(() => schedule.now() + clockOffset, decisions, rules.watcher);
  const gateway = createGateway(world);
  const surroundings = {
    store,
    network: createNetwork(world, gateway),
    rules,
    breakers,
    claimer,
    reportOf: (id: string) => reports.find((one) => one.id === id) as Report,
  };

  const served = ACCOUNTS.map((account) => ({ account, gateways: gatewaysOf(account) }));
  const serve = (accounts: readonly AccountGateways[]) =>
    void workers.push(createWorker(world, surroundings, workers.length, accounts));
  const begin = () =>
    serve(scenario.apart ? served.filter((_, index) => index === workers.length % served.length) : served);
  const alive = () => workers.filter(({ stay, isStopping }) => stay.alive() && !isStopping());
  /** At a random time before the faults end. */
  const sometime = (run: () => void) => schedule.at(random.between(0, wellAt), run);
  const wakeAll = () => {
    for (const worker of workers) worker.wake();
  };

  /** After a while another process replaces a dead one. */
  const keepUp = () => {
    if (alive().length < scenario.workers) begin();
    if (schedule.now() < wellAt) schedule.after(random.between(5_000, 60_000), keepUp);
  };

  plan(world, { store, gateway, sometime, wakeAll });
  correct(world, corrections, store, wakeAll);
  haveSecondThoughts(world, thoughts, {
    store,
    wakeAll,
    kill(worker) {
      if (!workers[worker]?.stay.alive()) return;
      workers[worker].stay.die();
      schedule.after(thoughts.between(100, 40_000), keepUp);
    },
  });
  const many = correctMany(world, corrected, { store, rules, wakeAll });
  for (let index = 0; index < scenario.workers; index += 1) schedule.at(random.between(0, 2_000), begin);
  if (scenario.apart) coverage['a worker for each account'] += 1;
  // After the first report: an empty store would be bound to the mock gateway.
  if (scenario.laptop)
    sometime(() => {
      if (store.rows.length < reports.length) return;
      coverage['a laptop in mock mode on the same store'] += 1;
      serve([{ account: ACCOUNTS[0], gateways: gatewaysOf(ACCOUNTS[0], 'mock') }]);
    });
  if (scenario.workers > 1) coverage['several workers at once'] += 1;
  if (scenario.death > 0 || scenario.stops > 0) schedule.at(random.between(5_000, 60_000), keepUp);
  for (let index = 0; index < scenario.stops; index += 1)
    sometime(() => alive()[0]?.stop(random.pick([0, 2_000, 12_000])));
  for (let index = 0; index < scenario.jumps; index += 1)
    sometime(() => {
      const size =
        scenario.pollMs === RARE_POLL_MS && random.chance(0.4) ? random.pick(LONG_JUMPS) : random.pick(JUMPS);
      const jump = random.chance(0.5) ? size : -size;
      world.jumped = true;
      coverage[jump > 0 ? 'clock jumps forward' : 'clock jumps back'] += 1;
      const worker = random.chance(0.3) ? alive()[0] : undefined;
      trace?.(`the clock of ${worker ? `worker ${worker.id}` : 'the store'} jumps by ${jump} ms`);
      if (worker) worker.jump(jump);
      else clockOffset += jump;
    });
  // Not beside a laptop: the store would be bound to its mock gateway.
  for (let index = 0; index < (scenario.laptop ? 0 : scenario.forgets); index += 1)
    schedule.at(later.between(0, wellAt), () => {
      const onlyBreakers = later.chance(0.3);
      trace?.(onlyBreakers ? "the store's breakers vanish" : "the store's pauses and bindings vanish");
      coverage["the store's pauses and bindings vanish"] += 1;
      world.forgot = true;
      store.forget(onlyBreakers);
    });
  if (scenario.goesBack) schedule.at(random.between(0, 10_000), () => goBack(world, store));
  schedule.at(wellAt, () => {
    trace?.('all is well from here on');
    for (const one of served)
      if (!alive().some(({ serves, isLaptop }) => serves(one.account) && !isLaptop)) serve([one]);
  });

  const steps = schedule.run(() => schedule.now() > wellAt && many.isAtRest() && rules.atRest(), MOST_STEPS);
  if (steps === MOST_STEPS) throw new Violation('none lost', `it did not come to rest within ${MOST_STEPS} steps`);
  const delayedMs = schedule.now() - wellAt;
  if (delayedMs > DAY * (1 + scenario.jumps) + HOUR)
    breaks(world, 'a clock that jumps delays by a day at most', `it took ${Math.round(delayedMs / HOUR)} hours`);
  rules.atTheEnd();
}

/** A standby without the last claims takes over. It searches for a moment at which some attempts are under way. */
function goBack(world: World, store: Store, kept?: () => void): void {
  const { random, schedule, scenario, coverage, trace } = world;
  if (schedule.now() > LAST_GONE_BACK_MS) return;
  const isQuiet = store.rows.every(({ state }) => state !== 'in-flight');
  if (isQuiet || !kept) {
    const back = isQuiet ? store.snapshot() : undefined;
    schedule.after(5, () => goBack(world, store, back));
    return;
  }
  schedule.after(random.between(0, 150), () => {
    trace?.('the database goes back');
    coverage['database goes back'] += 1;
    world.wentBack = true;
    kept();
    // The operator enqueues the lost reports again.
    for (const report of scenario.reports) if (!store.get(report.id)) report.accepted = false;
  });
}

/** The events from outside: enqueued reports, reports of another sender, decisions of a person. */
function plan(
  { random, schedule, scenario, coverage, decisions, trace }: World,
  {
    store,
    gateway,
    sometime,
    wakeAll,
  }: {
    store: Store;
    gateway: { stranger(report: Report, same: boolean): void };
    sometime: (run: () => void) => void;
    wakeAll: () => void;
  },
): void {
  const { reports } = scenario;

  const rowFor = ({ id, account, environment, operation, reference, body }: Report, bytes = body): NewRow => ({
    id,
    account,
    gateway: gatewaysOf(account)[environment],
    environment,
    operation,
    reference,
    waitsFor: decisions.rowBefore({ account, environment }, operation, reference),
    body: bytes,
    fingerprint: bytes,
  });

  function enqueue(given: readonly Report[]): void {
    for (const report of given) {
      trace?.(`${nameOf(report)} is enqueued`);
      report.enqueuedAt ??= schedule.now();
    }
    const results = store.enqueue(given.map((report) => rowFor(report)));
    if (random.chance(scenario.store)) {
      // A caller without an answer enqueues the report again.
      coverage['enqueue that fails after its commit'] += 1;
      schedule.after(random.between(10, 5_000), () => enqueue(given));
      return;
    }
    given.forEach((report, index) => {
      const row = results[index]?.row;
      if (row?.id !== report.id || (row.fingerprint !== report.body && report.current === report.body))
        throw new Violation('one row per report', `${nameOf(report)} got the row ${row?.id}`);
      if (!report.accepted) coverage['reports accepted'] += 1;
      report.accepted = true;
    });
    if (random.chance(0.7)) wakeAll();
  }

  function enqueueAgain(report: Report): void {
    const before = store.get(report.id);
    if (!before) return;
    const same = random.chance(0.5);
    const { row, added } = store.enqueue([rowFor(report, same ? report.body : 'other bytes')])[0] ?? {};
    coverage[same ? 'same bytes again' : 'other bytes under a key'] += 1;
    trace?.(`${nameOf(report)} is enqueued again, ${same ? 'the same bytes' : 'other bytes'}`);
    if (added || row !== before || store.rows.filter(({ id }) => id === report.id).length !== 1)
      throw new Violation('one row per report', nameOf(report));
  }

  const nameOfPair = ({ account, reference }: Report) => `${account} ${reference}`;
  if (new Set(reports.map(({ account }) => account)).size > 1) coverage['the same reference in two accounts'] += 1;
  for (const name of new Set(reports.map(nameOfPair))) {
    const pair = reports.filter((report) => nameOfPair(report) === name);
    const at = random.between(0, 15_000);
    const [first, second] = pair;
    if (pair.length === 1 && first?.operation.startsWith('reportSettled')) coverage['settled alone'] += 1;
    if (first && second) {
      const inOrder = random.chance(0.65);
      coverage[inOrder ? 'settled after initiated' : 'settled before initiated'] += 1;
      const [one, other] = inOrder ? [first, second] : [second, first];
      if (random.chance(0.4)) schedule.at(at, () => enqueue([one, other]));
      else {
        schedule.at(at, () => enqueue([one]));
        schedule.at(at + (random.chance(0.6) ? random.between(0, 300) : random.between(0, 40_000)), () =>
          enqueue([other]),
        );
      }
    } else if (first) schedule.at(at, () => enqueue([first]));
  }
  if (random.chance(0.15)) sometime(() => enqueueAgain(random.pick(reports)));
  for (let index = 0; index < scenario.strangers; index += 1) {
    const same = random.chance(0.5);
    schedule.at(random.between(0, 40_000), () => gateway.stranger(random.pick(reports), same));
  }
  for (let index = 0; index < scenario.persons; index += 1) sometime(decide);

  /** A person decides about a quarantined report. */
  function decide(): void {
    const row = store.rows.find(({ state }) => state === 'quarantined');
    const report = row && reports.find(({ id }) => id === row.id);
    if (!row || !report) return;
    const action: keyof typeof DECIDED = random.chance(0.7) ? 'retry' : random.chance(0.5) ? 'dismissed' : 'recorded';
    const change = decisions.decided(row, { action, reason: 'simulated', at: 0 }, false);
    // That is refused of a report that the gateway has refused.
    if (!isChange(change) && action === 'recorded' && !row.inDoubt) return;
    if (!isChange(change)) throw new Violation('a person decides about quarantined reports', change.why);
    coverage[DECIDED[action]] += 1;
    trace?.(`a person decides about ${nameOf(report)}: ${action}`);
    if (action === 'recorded') report.vouched = true;
    store.turn({ writes: [{ id: row.id, expected: row, change }], claim: undefined });
    wakeAll();
  }
}

const REPLACED: Partial<Record<Row['state'], keyof World['coverage']>> = {
  waiting: 'a person replaces what waits',
  quarantined: 'a person replaces what was refused',
  dismissed: 'a person replaces what was dismissed',
};

/** A person who dismisses by mistake, reopens and replaces, at random times. */
function correct(
  { schedule, scenario, coverage, decisions, trace }: World,
  random: Random,
  store: Store,
  wakeAll: () => void,
): void {
  const reportOf = (row: Row) => scenario.reports.find(({ id }) => id === row.id) as Report;
  const of = (...states: readonly Row['state'][]) => store.rows.filter(({ state }) => states.includes(state));
  const said = { reason: 'simulated', at: 0 };
  let versions = 0;

  function write(row: Row, change: Change, what: string): boolean {
    trace?.(`a person: ${nameOf(reportOf(row))} is ${what}`);
    const { written } = store.turn({ writes: [{ id: row.id, expected: row, change }], claim: undefined });
    wakeAll();
    return written[0] === true;
  }

  function dismiss(): void {
    const [row] = of('quarantined');
    const change = row && decisions.decided(row, { action: 'dismissed', ...said }, false);
    if (row && change && isChange(change) && write(row, change, 'dismissed')) coverage['a person dismisses'] += 1;
  }

  function reopen(): void {
    const dismissed = of('dismissed');
    const rows = dismissed.length > 0 ? dismissed : of('recorded');
    if (rows.length === 0) return;
    const row = random.pick(rows);
    if (random.chance(0.8)) store.appendLog();
    const change = decisions.decided(row, { action: 'reopened', ...said }, false);
    if (!isChange(change)) coverage['recorded is not reopened'] += 1;
    else if (write(row, change, 'reopened')) {
      reportOf(row).reopened = true;
      coverage['a person reopens'] += 1;
      if (row.inDoubt) coverage['a person reopens a report in doubt'] += 1;
    }
  }

  function replace(): void {
    const allowed = of('quarantined', 'dismissed', 'waiting');
    const rows = allowed.length > 0 && random.chance(0.8) ? allowed : store.rows;
    if (rows.length === 0) return;
    const row = random.pick(rows);
    const report = reportOf(row);
    if (random.chance(0.8)) store.appendLog();
    versions += 1;
    const bytes = `${report.body}, corrected ${versions}`;
    const change = decisions.replaced(row, { action: 'replaced', ...said }, { body: bytes, fingerprint: bytes });
    if (!isChange(change)) {
      if (row.inDoubt) coverage['what is in doubt is not replaced'] += 1;
    } else if (write(row, change, 'replaced')) {
      report.current = bytes;
      report.bad = false;
      if (row.state === 'dismissed') report.reopened = true;
      const what = REPLACED[row.state];
      if (what) coverage[what] += 1;
    }
  }

  if (!random.chance(0.25)) return;
  for (let left = 1 + random.below(6); left > 0; left -= 1)
    schedule.at(random.between(0, scenario.wellAt), () => {
      const which = random.next();
      if (which < 0.35) dismiss();
      else if (which < 0.65) reopen();
      else replace();
    });
}
