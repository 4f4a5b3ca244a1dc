// An operator's own script: reads a CSV file and enqueues its lines with `reportAll`. `node bench/report-all.js
// outbox.db bets.csv`. With `--check-first` it reads the file twice, and checks all lines before it enqueues one.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createOutbox } from '../dist/outbox.js';
import { sqliteStore } from '../dist/outbox-sqlite.js';
import { CONTEXT, loadChecks } from './checks.js';
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

async function* payloads() {
  let isFirst = true;
  for await (const line of createInterface({ input: createReadStream(csv) })) {
    if (!isFirst) yield payloadOf(line.split(','));
    isFirst = false;
  }
}

if (process.argv.includes('--check-first')) {
  const { checkCall } = await loadChecks();
  for await (const payload of payloads()) checkCall('reportSettledBet', payload, undefined, CONTEXT);
}
const store = await sqliteStore({ file });
const outbox = createOutbox({ client: await clientOf(NOWHERE), store });
/** @type {import('../dist/outbox.js').BatchedReport[]} */
let batch = [];
for await (const payload of payloads()) {
  batch.push({ operation: 'reportSettledBet', payload });
  if (batch.length < BATCH) continue;
  await outbox.reportAll(batch);
  batch = [];
}
await outbox.reportAll(batch);
await store.close?.();
