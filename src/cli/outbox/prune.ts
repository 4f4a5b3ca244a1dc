import { printable } from '../../core/platform/messages.js';
import { systemClock } from '../../core/platform/time.js';
import { pruneReports } from '../../outbox/receipts/prune.js';
import { EXIT, remark, say } from '../output.js';
import { needed, type RunCommand } from './options.js';
import { grouped } from './text.js';

export const prune: RunCommand = async ({ store }, values) => {
  const { account, json } = values;
  const olderThanDays = needed(values, 'older-than');
  const accounts = account === undefined ? [...new Set((await store.outlook()).map((one) => one.account))] : [account];
  let total = 0;
  for (const one of accounts) {
    const pruned = await pruneReports(store, { account: one, olderThanDays, clock: systemClock });
    total += pruned;
    if (json) say(JSON.stringify({ account: one, pruned, olderThanDays }));
    else say(`${printable(one)}: ${grouped(pruned)} reports pruned that ended more than ${olderThanDays} days ago`);
  }
  if (!json)
    remark(
      total > 0
        ? 'Their receipts are kept. The database reuses the space, but does not get smaller by itself.'
        : 'No report is that old.',
    );
  return EXIT.done;
};
