// Sending one settled bet and reading the answer: reports a second and processor time. Two processes of one contender may
// differ by a tenth from their start to their end, and a machine from one second to the next: so each round has new
// processes, and these take turns.
import { builds } from '../builds.js';
import { compareAnew } from '../measure.js';
import { BEFORE, isQuick, sizeOf } from '../options.js';
import { startProcess } from '../process.js';
import { ask, promises, slipOf, tell } from '../promises.js';
import { median } from '../statistics.js';
import { markdownTable, whole } from '../words.js';
import { contenders } from './contenders.js';

/** A process has a few slow turns in its first seconds, so few that the median of ten has none of them. */
const TURNS = sizeOf(isQuick ? 3 : 10, 1);
const GROUPS = [
  {
    keys: ['ky', ...builds.map(({ key }) => `sdk${key}`)],
    asked: ask([promises.ky, 'sdk', 'ky'], ...slipOf('default transport', 'sdk')),
    until: 0.3,
  },
  {
    keys: ['stripe', ...builds.map(({ key }) => `fast${key}`), 'checkedPool'],
    asked: ask(
      [promises.stripe, 'fast', 'stripe'],
      [promises.pool, 'fast', 'checkedPool'],
      ...slipOf('nodeTransport()', 'fast'),
    ),
    until: isQuick ? 1 : 0.93,
  },
];
/** In one round, after the others: they are not judged. */
const SHOWN = ['fetch', 'http', 'axios', 'pool', 'outbox'];
const TURN = { concurrency: 50, milliseconds: sizeOf(300, 1) };
/**
 * V8 has compiled a process's code after this much processor time. A warm-up is made of turns, since code that is called
 * in another way is compiled anew.
 */
const WARM_UP_MS = sizeOf(1_750, 1);

const gateway = await startProcess(new URL('gateway.js', import.meta.url));

/** @param {string} key */
const starterOf = (key) => ({
  key,
  async start() {
    const words = [key, String(gateway.first), ...(BEFORE ? ['--before', BEFORE] : [])];
    const child = await startProcess(new URL('lane.js', import.meta.url), { words });
    const turn = () => child.ask(TURN);
    for (let spent = 0; spent < WARM_UP_MS; ) spent += (await turn()).processor;
    return { key, name: contenders[key]?.name ?? key, turn, stop: child.stop };
  },
});

try {
  const results = [];
  for (const { keys, asked, until } of GROUPS) {
    const found = await compareAnew(keys.map(starterOf), { turns: TURNS, until, neededAfter: asked.neededAfter });
    asked.answer(found);
    results.push(...found);
  }
  if (!isQuick) results.push(...(await compareAnew(SHOWN.map(starterOf), { turns: TURNS, until: 0, least: 1 })));
  tell(
    'Sending one settled bet, and reading the answer',
    markdownTable([
      ['', 'a second, 50 at once', 'µs of processor'],
      ...results.map(({ name, rates, processorRates }) => [
        name,
        whole(median(rates)),
        whole(1_000_000 / median(processorRates)),
      ]),
    ]),
  );
} finally {
  await gateway.stop();
}
