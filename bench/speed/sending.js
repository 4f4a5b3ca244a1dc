// Sending one settled bet and reading the answer: reports a second and processor time. Each round has new
// processes, since two processes of one contender may differ by a fifth from their start to their end.
import { builds } from '../builds.js';
import { compare } from '../measure.js';
import { BEFORE, isQuick, sizeOf } from '../options.js';
import { startProcess } from '../process.js';
import { judgeRatio, judgeSlip, promises, tell } from '../promises.js';
import { median } from '../statistics.js';
import { markdownTable, whole } from '../words.js';
import { contenders } from './contenders.js';

/** Those that are compared stand near each other. */
const JUDGED = [
  'ky',
  ...builds.map(({ key }) => `sdk${key}`),
  'stripe',
  ...builds.map(({ key }) => `fast${key}`),
  'checkedPool',
];
/** In rounds of their own, after the others. */
const SHOWN = ['fetch', 'http', 'axios', 'pool', 'outbox'];
const TURN = { concurrency: 50, milliseconds: sizeOf(300, 1) };
/**
 * V8 has compiled a process's code after this much processor time. A warm-up is made of turns, since code that is called
 * in another way is compiled anew, and its process is measured at once, since one that waits loses a part of this code.
 */
const WARM_UP_MS = sizeOf(1_750, 1);

const gateway = await startProcess(new URL('gateway.js', import.meta.url));

/** @param {string} key */
async function measure(key) {
  const words = [key, String(gateway.first), ...(BEFORE ? ['--before', BEFORE] : [])];
  const child = await startProcess(new URL('lane.js', import.meta.url), { words });
  for (let spent = 0; spent < WARM_UP_MS; ) spent += (await child.ask(TURN)).processor;
  const turn = await child.ask(TURN);
  await child.stop();
  return turn;
}

/** @param {readonly string[]} keys @param {Parameters<typeof compare>[1]} options */
const compareProcesses = (keys, options) =>
  compare(
    keys.map((key) => ({ key, name: contenders[key]?.name ?? key, turn: () => measure(key) })),
    options,
  );

try {
  const judged = await compareProcesses(JUDGED, {
    share: 0.8,
    pairs: [
      ['sdk', 'ky'],
      ['fast', 'stripe'],
      ['fast', 'checkedPool'],
    ],
  });
  const shown = isQuick ? [] : await compareProcesses(SHOWN, { share: 0, least: sizeOf(3, 1) });
  judgeRatio(promises.ky, judged, ['sdk', 'ky']);
  judgeRatio(promises.stripe, judged, ['fast', 'stripe']);
  judgeRatio(promises.pool, judged, ['fast', 'checkedPool']);
  judgeSlip({ what: 'default transport' }, judged, 'sdk');
  judgeSlip({ what: 'nodeTransport()' }, judged, 'fast');
  tell(
    'Sending one settled bet, and reading the answer',
    markdownTable([
      ['', 'a second, 50 at once', 'µs of processor'],
      ...[...shown, ...judged].map(({ name, rates, processorRates }) => [
        name,
        whole(median(rates)),
        whole(1_000_000 / median(processorRates)),
      ]),
    ]),
  );
} finally {
  await gateway.stop();
}
