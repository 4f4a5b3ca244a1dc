// The options of a run and of each of its parts. A part alone: `node bench/outbox-sqlite.js --seconds 60`.
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean' },
    quick: { type: 'boolean' },
    seconds: { type: 'string' },
    before: { type: 'string' },
    results: { type: 'string' },
    only: { type: 'string' },
  },
  // A program may have others.
  strict: false,
});

/** `--smoke`: every part is started once, in a few seconds, and no result is judged or stored. */
export const isSmoke = values.smoke === true;
/** `--quick`: some parts, in three minutes on this Node.js. Each promise may be missed by a fifth. */
export const isQuick = values.quick === true;
/** The budget of a part. */
export const SECONDS = isSmoke ? 0 : Number(values.seconds ?? 60);
/** `--before`: the folder of an earlier build, with which this one is compared. */
export const BEFORE = typeof values.before === 'string' ? values.before : undefined;
/** `--results`: the file to which a part adds its results, a line of JSON for each. */
export const RESULTS = typeof values.results === 'string' ? values.results : undefined;
/** `--only`: one of the comparisons of a part. */
export const isAsked = (/** @type {string} */ name) => values.only === undefined || values.only === name;

/** The size of a measurement. @template T @param {T} whole @param {T} smoke */
export const sizeOf = (whole, smoke) => (isSmoke ? smoke : whole);
