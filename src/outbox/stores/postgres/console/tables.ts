import { MOST_WORDS } from '../../../problem.js';
import { PACE_CLASSES } from '../../../receipts/pace.js';
import { stepFunction } from './step-function.js';

/** The columns of the classes into which the pace is counted. */
export const CLASS_COLUMNS: readonly string[] = [...PACE_CLASSES, 0].map((_, place) => `c${place}`);

/** Rows that wait for a key. */
export const LACKS_KEY = "state <> 'quarantined' AND (problem -> 'keyId') IS NOT NULL";

/** As `wrongOf` of `problem.ts`, of a row of the queue. */
const code = (row: string) => `CASE WHEN ${row}problem ->> 'conflict' = 'true' THEN 'conflict' ELSE coalesce(${row}problem ->> 'code', 'unknown') END`;
const words = (row: string) => {
  const message = `coalesce(${row}problem ->> 'message', '')`;
  return `left(substr(${message}, CASE WHEN strpos(${message}, ': ') > 0 THEN strpos(${message}, ': ') + 2 ELSE 1 END), ${MOST_WORDS})`;
};

/**
 * A trigger writes what is wrong beside a row that comes into quarantine, and into no other: groups are then counted without reading
 * each problem again. Instances of the version before it need not know of it.
 */
const wrong = (schema: string): string => `
  ALTER TABLE ${schema}.queue ADD COLUMN IF NOT EXISTS wrong_code text, ADD COLUMN IF NOT EXISTS wrong_words text;
  CREATE OR REPLACE FUNCTION ${schema}.note_wrong() RETURNS trigger LANGUAGE plpgsql AS $wrong$
  BEGIN
    NEW.wrong_code := ${code('NEW.')};
    NEW.wrong_words := ${words('NEW.')};
    RETURN NEW;
  END $wrong$;
  DROP TRIGGER IF EXISTS note_wrong ON ${schema}.queue;
  CREATE TRIGGER note_wrong BEFORE INSERT OR UPDATE ON ${schema}.queue FOR EACH ROW WHEN (NEW.state = 'quarantined') EXECUTE FUNCTION ${schema}.note_wrong();
  UPDATE ${schema}.queue SET wrong_code = ${code('')} WHERE state = 'quarantined';
  -- Few rows are in it: those that wait for a key.
  CREATE INDEX IF NOT EXISTS queue_locked ON ${schema}.queue (account) WHERE ${LACKS_KEY};
`;

/** The tables of the operator's console: what was decided, and how fast reports were recorded. */
export const consoleTables = (schema: string): string => `${wrong(schema)}
  CREATE TABLE IF NOT EXISTS ${schema}.decisions (
    place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    action text NOT NULL,
    who text NOT NULL,
    reason text NOT NULL,
    about text NOT NULL,
    as_of bigint NOT NULL,
    at bigint NOT NULL,
    cursor bigint NOT NULL DEFAULT 0,
    touched bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    done boolean NOT NULL,
    undone_by text
  );
  DROP TRIGGER IF EXISTS stays_as_it_is ON ${schema}.decisions;
  CREATE TRIGGER stays_as_it_is BEFORE UPDATE OF place, id, action, who, reason, about, as_of, at ON ${schema}.decisions
    FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse_change();
  CREATE TABLE IF NOT EXISTS ${schema}.decision_steps (decision text NOT NULL, began bigint NOT NULL, sequences json NOT NULL, PRIMARY KEY (decision, began));
  CREATE TABLE IF NOT EXISTS ${schema}.paces (
    span text NOT NULL,
    start bigint NOT NULL,
    account text NOT NULL,
    environment text NOT NULL,
    recorded bigint NOT NULL,
    dismissed bigint NOT NULL,
    sum_ms bigint NOT NULL,
    ${CLASS_COLUMNS.map((name) => `${name} bigint NOT NULL`).join(', ')},
    PRIMARY KEY (span, start, account, environment)
  );
  CREATE TABLE IF NOT EXISTS ${schema}.paced (one integer PRIMARY KEY CHECK (one = 1), reached bigint NOT NULL);
  INSERT INTO ${schema}.paced (one, reached) VALUES (1, 0) ON CONFLICT DO NOTHING;
${stepFunction(schema)}`;
