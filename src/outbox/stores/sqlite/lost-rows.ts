import { ENVIRONMENTS } from '../../destination.js';
import { damageProblem } from '../../stored-row.js';
import type { Connection } from './database.js';
import { textOf } from './row-columns.js';
import { QUEUED } from './schema.js';
import type { Tally } from './tally.js';

const KNOWN = ENVIRONMENTS.map((name) => `'${name}'`).join();
/** The account that stands in a row's id. */
const OWNER = "substr(id, 1, instr(id, ':') - 1)";
/** All but the last condition is read from the index alone. */
const LOST = `FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND (environment NOT IN (${KNOWN}) OR
  (account NOT IN (SELECT account FROM outbox_destinations) AND account <> ${OWNER}))`;
const QUARANTINE = `UPDATE outbox_rows SET state = 'quarantined', blocked = 0, queued = 0, account = ?, problem = ? WHERE sequence = ?`;

/** Rows that no worker ever finds, since no environment or no account has the name that they have. */
export const hasLostRows = ({ first }: Connection): boolean => first(`SELECT 1 ${LOST} LIMIT 1`) !== undefined;

/** Quarantines them; part of a transaction. They are shown as those of the account that their id names. */
export function quarantineLostRows({ all, run }: Connection, tally: Tally): void {
  for (const { sequence, account, environment, owner } of all(`SELECT sequence, account, environment, ${OWNER} AS owner ${LOST}`)) {
    const isForeign = ENVIRONMENTS.every((name) => name !== environment);
    const shown = String(owner === '' ? account : owner);
    run(QUARANTINE, shown, textOf(damageProblem(isForeign ? 'environment' : 'account')), Number(sequence));
    tally.move(shown, 'waiting', 'quarantined');
  }
}
