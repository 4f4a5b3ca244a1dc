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

/** Side by side: members of a pair stand together. */
const JUDGED = [
  'ky',
  ...builds.map(({ key }) => `sdk${key}`),
  'stripe',
  ...builds.map(({ key }) => `fast${key}`),
  'pool',
  'checkedPool',
];
const SHOWN = ['fetch', 'http', 'axios', 'outbox'];
/** V8 compiles a process's code during its first second of processor time, however long that takes. */
const WARM_UP = { concurrency: 50, processorMs: sizeOf(1_000, 1) };
/** A process that has waited for its turn has lost some of that code: the first 150 ms cost twice as much. */
const WAKING = { concurrency: 50, processorMs: sizeOf(250, 1) };
const TURN = { concurrency: 50, milliseconds: sizeOf(300, 1) };

const gateway = await startProcess(new URL('gateway.js', import.meta.url));
/** @type {Map<string, Awaited<ReturnType<typeof startProcess>>>} */
const processes = new Map();

const stopAll = async () => {
  for (const child of processes.values()) await child.stop();
  processes.clear();
};

/** @param {string} key */
const childOf = (key) => {
  const child = processes.get(key);
  if (!child) throw new Error(`${key} was not started`);
  return child;
};

/** @param {readonly string[]} keys @param {Omit<NonNullable<Parameters<typeof compare>[1]>, 'before'>} options */
const compareProcesses = (keys, options) =>
  compare(
    keys.map((key) => ({
      key,
      name: contenders[key]?.name ?? key,
      async turn() {
        await childOf(key).ask(WAKING);
        return childOf(key).ask(TURN);
      },
    })),
    {
      ...options,
      async before() {
        await stopAll();
        for (const key of keys) {
          const words = [key, String(gateway.first), ...(BEFORE ? ['--before', BEFORE] : [])];
          const child = await startProcess(new URL('lane.js', import.meta.url), { words });
          processes.set(key, child);
          await child.ask(WARM_UP);
        }
      },
    },
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
  await stopAll();
  await gateway.stop();
}
