// An operator's own script: reads a CSV file and enqueues its lines with `reportAll`. `node bench/report-all.js
// outbox.db bets.csv`
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createOutbox } from '../dist/outbox.js';
import { sqliteStore } from '../dist/outbox-sqlite.js';
import { clientOf, NOWHERE } from './reports.js';

const BATCH = 500;
const [file = '', csv = ''] = process.argv.slice(2);

/** @param {readonly string[]} cells @returns {import('../dist/index.js').SettledBet} */
function payloadOf([bet_id = '', win = '', payout = '', outcome = '', ggr = '', ur = '', ...user]) {
  const [
    user_id = '',
    first_name = '',
    last_name = '',
    resident_address = '',
    resident_lga = '',
    resident_state = '',
    resident,
    nin = '',
    tax_id = '',
  ] = user;
  const is_resident = resident === 'true';
  return {
    bet_id,
    user: { user_id, first_name, last_name, resident_address, resident_lga, resident_state, is_resident, nin, tax_id },
    win_amount: Number(win),
    payout_amount: Number(payout),
    outcome,
    ggr: Number(ggr),
    ur: Number(ur),
  };
}

const store = await sqliteStore({ file });
const outbox = createOutbox({ client: clientOf(NOWHERE), store });
/** @type {import('../dist/outbox.js').BatchedReport[]} */
let batch = [];
let isFirst = true;
for await (const line of createInterface({ input: createReadStream(csv) })) {
  if (isFirst) isFirst = false;
  else batch.push({ operation: 'reportSettledBet', payload: payloadOf(line.split(',')) });
  if (batch.length < BATCH) continue;
  await outbox.reportAll(batch);
  batch = [];
}
await outbox.reportAll(batch);
await store.close?.();
