import { ENVIRONMENTS } from '../../record.js';
import { damageProblem } from '../../stored-row.js';
import type { Connection } from './database.js';
import { textOf } from './row-columns.js';
import { QUEUED } from './schema.js';
import type { Tally } from './tally.js';

/** Of the index alone. */
const LOST = `FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND environment NOT IN (${ENVIRONMENTS.map(() => '?').join()})`;
const QUARANTINE = `UPDATE outbox_rows SET state = 'quarantined', blocked = 0, queued = 0, problem = ? WHERE sequence IN (SELECT sequence ${LOST})`;

/** Rows that no worker ever finds, since no environment has the name that they have. */
export const hasLostRows = ({ first }: Connection): boolean => first(`SELECT 1 ${LOST} LIMIT 1`, ...ENVIRONMENTS) !== undefined;

/** Quarantines them; part of a transaction. */
export function quarantineLostRows({ run }: Connection, tally: Tally): void {
  const found = run(QUARANTINE, textOf(damageProblem('environment')), ...ENVIRONMENTS);
  for (let row = 0; row < found; row += 1) tally.move('waiting', 'quarantined');
}
