import { MOST_WORDS } from '../../../problem.js';
import { PACE_CLASSES } from '../../../receipts/pace.js';

/** A member of a problem. NULL if the JSON is damaged, which the check of the row reports. */
const said = (path: string) => `CASE WHEN json_valid(problem) THEN json_extract(problem, '$.${path}') END`;
const MESSAGE = `coalesce(CASE WHEN typeof(${said('message')}) = 'text' THEN ${said('message')} END, '')`;

/**
 * The same as `wrongOf` of `problem.ts`. The columns are generated, so that instances of the previous version can write without
 * them, and only for quarantined rows. The index contains all values of a group.
 */
const WRONG = `
  ALTER TABLE outbox_rows ADD COLUMN wrong_code TEXT GENERATED ALWAYS AS (CASE WHEN state = 'quarantined' THEN
    CASE WHEN ${said('conflict')} = 1 THEN 'conflict' ELSE CAST(coalesce(${said('code')}, 'unknown') AS TEXT) END END) VIRTUAL;
  ALTER TABLE outbox_rows ADD COLUMN wrong_words TEXT GENERATED ALWAYS AS (CASE WHEN state = 'quarantined' THEN
    substr(${MESSAGE}, CASE WHEN instr(${MESSAGE}, ': ') > 0 THEN instr(${MESSAGE}, ': ') + 2 ELSE 1 END, ${MOST_WORDS}) END) VIRTUAL;
  CREATE INDEX outbox_wrong ON outbox_rows (account, environment, wrong_code, wrong_words, changed_at) WHERE state = 'quarantined';
`;

/** The columns of the classes of times. */
export const CLASS_COLUMNS: readonly string[] = [...PACE_CLASSES, 0].map((_, place) => `c${place}`);

/** The tables of the operator's console: decisions, and counts of recorded reports by time. */
export const WITH_CONSOLE = `${WRONG}
  CREATE TABLE outbox_decisions (
    place INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    action TEXT NOT NULL,
    who TEXT NOT NULL,
    reason TEXT NOT NULL,
    about TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    at INTEGER NOT NULL,
    cursor INTEGER NOT NULL DEFAULT 0,
    touched INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL,
    undone_by TEXT
  );
  CREATE TRIGGER outbox_decisions_stay BEFORE UPDATE OF place, id, action, who, reason, about, as_of, at ON outbox_decisions
    BEGIN SELECT RAISE(ABORT, 'constraint: the outbox never changes this'); END;
  CREATE TABLE outbox_decision_steps (decision TEXT NOT NULL, began INTEGER NOT NULL, sequences TEXT NOT NULL, PRIMARY KEY (decision, began)) WITHOUT ROWID;
  CREATE TABLE outbox_paces (
    span TEXT NOT NULL,
    start INTEGER NOT NULL,
    account TEXT NOT NULL,
    environment TEXT NOT NULL,
    recorded INTEGER NOT NULL,
    dismissed INTEGER NOT NULL,
    sum_ms INTEGER NOT NULL,
    ${CLASS_COLUMNS.map((name) => `${name} INTEGER NOT NULL`).join(', ')},
    PRIMARY KEY (span, start, account, environment)
  ) WITHOUT ROWID;
  CREATE TABLE outbox_paced (one INTEGER PRIMARY KEY CHECK (one = 1), reached INTEGER NOT NULL);
`;
