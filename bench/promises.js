// The promises, and how a part of the bench judges them.
import { appendFileSync } from 'node:fs';
import { builds } from './builds.js';
import { ratios } from './measure.js';
import { isQuick, isSmoke, RESULTS } from './options.js';
import { intervalOf, isClear, verdictOf } from './statistics.js';
import { fixed, whole } from './words.js';

/**
 * `atLeast` is a ratio of rates, and `atMost` one of times, or of memory. A figure with a unit is one machine's. The
 * clock decides, or `by: 'processor'` the processor time.
 * @typedef {{ what: string, atLeast?: number, atMost?: number, unit?: string, by?: 'processor' }} Promised
 */
/** @typedef {import('./statistics.js').Interval} Interval */
/** @typedef {import('./measure.js').Result} Result */
/**
 * @typedef {object} Judged
 * @property {Promised} promised
 * @property {Interval} clock what was measured, by the clock
 * @property {Interval} [processor] the same by processor time
 * @property {Interval} [bound] the same of the bare rows
 * @property {import('./statistics.js').Verdict} verdict
 */

/** @satisfies {Record<string, Promised>} */
export const promises = {
  ky: { what: 'default transport, beside bare ky, 50 at once', atLeast: 0.9 },
  pool: { what: 'nodeTransport(), beside a bare undici Pool and the same checks, 50 at once', atLeast: 0.8 },
  stripe: { what: 'nodeTransport(), beside stripe-node, 50 at once', atLeast: 1.5 },
  check: { what: 'copy and check of a settled bet, processor time', atMost: 6, unit: 'µs', by: 'processor' },
  start: { what: 'start, processor time, beside ky and zod/mini', atMost: 0.75, by: 'processor' },
  startOutbox: {
    what: 'start of outbox and outbox/sqlite, processor time, beside ky and zod/mini',
    atMost: 0.35,
    by: 'processor',
  },
  volume: { what: 'processor time of a report after very many, beside one after 10,000', atMost: 1.2, by: 'processor' },
  volumeMemory: { what: 'memory after very many reports, beside that after 10,000', atMost: 1.1 },
  socketsMemory: { what: 'memory after many reports over sockets, beside that after few', atMost: 1.25 },
  lookup: {
    what: 'address lookups in a database file, processor time',
    atLeast: 200_000,
    unit: 'a second',
    by: 'processor',
  },
  store: { what: 'SQLite, one by one: store, beside bare inserts of its rows', atLeast: 0.8 },
  outbox: { what: 'SQLite, one by one: outbox, beside bare inserts of its rows and the same checks', atLeast: 0.65 },
  together: { what: 'SQLite, 50 at once: outbox, beside bare inserts one by one', atLeast: 0.7 },
  batch: { what: 'SQLite, 500 in a batch: store, beside one by one', atLeast: 10 },
  drain: { what: 'SQLite, draining a backlog, beside the client and the bare statements', atLeast: 0.75 },
  drainFast: {
    what: 'SQLite, draining a backlog with nodeTransport(), beside the client and the bare statements',
    atLeast: 0.75,
  },
  sqliteClaim: { what: 'SQLite, a claim among 1,000,000, beside one among 10,000', atMost: 1.5 },
  importing: { what: 'import of a file, beside reportAll after a check of all lines', atLeast: 0.85 },
  importingRate: { what: 'import of a file, checked and enqueued', atLeast: 10_000, unit: 'lines a second' },
  importingMemory: {
    what: 'memory of an import, with 1 MB for new objects, beside that of a quarter of the lines',
    atMost: 1.25,
  },
  prepared: {
    what: 'PostgreSQL, a transaction with a prepared report in the statement of the bet, beside one more own row',
    atMost: 1.25,
  },
  preparedSlower: {
    what: 'PostgreSQL, commits 1 ms slower, a prepared report in the statement of the bet, beside one more own row',
    atMost: 1.25,
  },
  within: { what: 'PostgreSQL, a transaction with a report over `within`, beside one more own row', atMost: 1.6 },
  withinSlower: { what: 'PostgreSQL, commits 1 ms slower, `within`, beside one more own row', atMost: 1.6 },
  both: { what: 'PostgreSQL, `within` sent together with the bet, beside one more own row', atMost: 1.6 },
  bothSlower: { what: 'PostgreSQL, commits 1 ms slower, `within` together, beside one more own row', atMost: 1.6 },
  waking: {
    what: 'PostgreSQL, an idle outbox records after the commit, the slowest of 100',
    atMost: 1_000,
    unit: 'ms',
  },
  twoWorkers: { what: 'PostgreSQL, two workers, beside twice one', atLeast: 0.8 },
  fourWorkers: { what: 'PostgreSQL, four workers, beside four times one', atLeast: 0.8 },
  costBoss: {
    what: 'PostgreSQL, processor time of a report until it is recorded, beside a job of pg-boss',
    atMost: 1,
    by: 'processor',
  },
  costGraphile: {
    what: 'PostgreSQL, processor time of a report until it is recorded, beside a job of graphile-worker',
    atMost: 1,
    by: 'processor',
  },
  postgresClaim: { what: 'PostgreSQL, a claim among 1,000,000, beside one among 10,000', atMost: 1.5 },
};

const EARLIER = ', beside the earlier build';
/** @param {Promised} promised */
export const isSlip = ({ what }) => what.endsWith(EARLIER);

/** A quick run has fewer rounds, so it may miss each promise by a fifth. */
const SLACK = isQuick ? 1.2 : 1;
/** The limit in this run. @param {Promised} promised */
const allowedOf = ({ atLeast, atMost }) => ({
  ...(atLeast === undefined ? {} : { atLeast: atLeast / SLACK }),
  ...(atMost === undefined ? {} : { atMost: atMost * SLACK }),
});

/** For `main.js`, if it runs this part. @param {{ judged: Judged } | { heading: string, text: string }} result */
const add = (result) => void (RESULTS && appendFileSync(RESULTS, `${JSON.stringify(result)}\n`));

/** A section of the results. @param {string} heading @param {string} text Markdown */
export function tell(heading, text) {
  if (isSmoke) return;
  console.log(`${heading}\n\n${text}\n`);
  add({ heading, text });
}

/**
 * Judges a promise by its figures of each round. One figure is taken for exact.
 *
 * @param {Promised} promised
 * @param {readonly number[]} clock
 * @param {{ processor?: readonly number[], bound?: readonly number[] }} [more]
 */
export function judge(promised, clock, { processor, bound } = {}) {
  if (isSmoke) return undefined;
  const interval = (/** @type {readonly number[]} */ figures) => {
    const [only = Number.NaN] = figures;
    return figures.length === 1 ? { middle: only, low: only, high: only } : intervalOf(figures);
  };
  const measured = { clock: interval(clock), ...(processor ? { processor: interval(processor) } : {}) };
  /** @type {Judged} */
  const judged = {
    promised,
    ...measured,
    ...(bound ? { bound: interval(bound) } : {}),
    verdict: verdictOf((promised.by && measured.processor) ?? measured.clock, allowedOf(promised)),
  };
  console.log(`${rowOf(judged).join(' · ')}\n`);
  add({ judged });
  return judged;
}

/**
 * A promise that compares two contenders. `bound`: the bare rows of the first.
 * @typedef {readonly [promised: Promised, one: string, other: string, bound?: string]} Question
 */

/**
 * That this build is slower than the last release by a tenth at most, if there is one to compare.
 * @param {string} what
 * @param {string} key
 * @param {Pick<Promised, 'by'>} [by]
 * @returns {Question[]}
 */
export const slipOf = (what, key, by = {}) =>
  builds.slice(1).map((build) => [{ what: what + EARLIER, atLeast: 0.9, ...by }, key, `${key}${build.key}`]);

/** A ratio of times is the inverse of that of rates. @param {readonly Result[]} results @param {Question} question */
const askedOf = (results, [{ atLeast }, one, other]) =>
  atLeast === undefined ? ratios(results, other, one) : ratios(results, one, other);

/** Asks a comparison, and tells whose rounds are not enough. @param {readonly Question[]} questions */
export const ask = (...questions) => ({
  /** The contenders of the questions without a clear answer. @param {readonly Result[]} results */
  neededAfter(results) {
    const open = questions.filter((question) => {
      const [promised] = question;
      const { clock, processor } = askedOf(results, question);
      return !isClear(intervalOf(promised.by ? processor : clock), allowedOf(promised));
    });
    return new Set(open.flatMap(([, ...keys]) => keys.filter((key) => key !== undefined)));
  },
  /** @param {readonly Result[]} results */
  answer(results) {
    for (const question of questions) {
      const [promised, , other, bound] = question;
      const { clock, processor } = askedOf(results, question);
      judge(promised, clock, {
        processor,
        ...(bound ? { bound: askedOf(results, [promised, bound, other]).clock } : {}),
      });
    }
  },
});

const plain = (/** @type {number} */ figure) => (figure >= 100 ? whole(figure) : fixed(figure));
const shown = (/** @type {Promised} */ { unit = '×' }, /** @type {number} */ figure) => `${plain(figure)} ${unit}`;

/** @param {Promised} promised */
export const limitOf = (promised) =>
  promised.atLeast === undefined
    ? `at most ${shown(promised, promised.atMost ?? Number.NaN)}`
    : `at least ${shown(promised, promised.atLeast)}`;

/** A row of the table of promises. @param {Judged} judged */
export function rowOf({ promised, clock, processor, bound, verdict }) {
  const measured = (/** @type {Interval | undefined} */ found) => {
    if (!found) return '';
    const { middle, low, high } = found;
    return shown(promised, middle) + (low === high ? '' : ` (${plain(low)} to ${plain(high)})`);
  };
  return [promised.what, limitOf(promised), measured(clock), measured(processor), measured(bound), verdict];
}

export const HEAD = ['', 'promised', 'by the clock', 'by processor time', 'bound', ''];

/** A promise with another limit is another one. @param {Promised} promised */
export const keyOf = (promised) => `${promised.what}: ${limitOf(promised)}`;

/**
 * The processors on which each promise held in a whole run, by name with a comma between them, after one on this
 * processor. It must hold on each Node.js.
 *
 * @param {Record<string, string>} earlier
 * @param {readonly Judged[]} all
 * @param {string} processor
 * @returns {Record<string, string>}
 */
export const heldAfter = (earlier, all, processor) =>
  Object.fromEntries(
    all.map(({ promised }) => {
      const key = keyOf(promised);
      const others = (earlier[key] ?? '').split(', ').filter((name) => name && name !== processor);
      const isKept = all.every((other) => keyOf(other.promised) !== key || other.verdict === 'kept');
      return [key, (isKept ? [...others, processor].sort() : others).join(', ')];
    }),
  );

/** The processors on which a promise held, for the table. @param {Promised} promised @param {Record<string, string>} held */
export function placesOf(promised, held) {
  const places = held[keyOf(promised)] ?? '';
  return places && (promised.unit || !places.includes(', ')) ? `${places} alone` : places;
}
