// Whether many reports cost more than few: one process that has sent nearly all of them and one that has just started
// take turns.
import { compare } from '../measure.js';
import { isQuick, sizeOf } from '../options.js';
import { startProcess } from '../process.js';
import { ask, judge, promises, tell } from '../promises.js';
import { median } from '../statistics.js';
import { fixed, markdownTable, mega, whole } from '../words.js';

const FEW = 10_000;
const CONCURRENCY = 50;

const asked = ask([promises.volume, 'old', 'young']);

const gateway = await startProcess(new URL('gateway.js', import.meta.url));

/** @param {string} key @param {number} reports @param {number} until */
async function measureVolume(key, reports, until) {
  const start = () =>
    startProcess(new URL('lane.js', import.meta.url), { words: [key, String(gateway.first)], flags: ['--expose-gc'] });
  const turn = Math.min(2_000, reports / 20);
  const [old, young] = [await start(), await start()];
  /**
   * @param {Awaited<ReturnType<typeof start>>} child
   * @param {number} count
   * @param {boolean} [collect] A full collection while no work runs also discards code compiled for objects that do not
   * exist at that moment.
   */
  const send = (child, count, collect = true) =>
    child.ask({ concurrency: Math.min(CONCURRENCY, count), reports: count, collect });
  const milestones = [];
  let sent = 0;
  for (let next = 1; next < reports; next *= 10) {
    const { processor, heap } = await send(old, next - sent);
    milestones.push({ reports: next, microseconds: (processor / (next - sent)) * 1_000, heap });
    sent = next;
  }
  await send(old, reports - sent - turn);
  await send(young, Math.min(FEW, reports / 2) - turn);
  const lane = (/** @type {'old' | 'young'} */ name) => ({
    key: name,
    name,
    turn: () => send(name === 'old' ? old : young, turn, false),
  });
  for (const child of [young, old]) await send(child, turn, false);
  const results = await compare([lane('young'), lane('old')], { neededAfter: asked.neededAfter, until });
  const { heap } = await send(old, turn);
  const microseconds = 1_000_000 / median(results[1]?.processorRates ?? []);
  milestones.push({ reports, microseconds, heap });
  await old.stop();
  await young.stop();
  // A quick run over sockets sends no more than the few.
  const early = milestones.find((milestone) => milestone.reports === FEW && reports > FEW) ?? milestones.at(-2);
  return { milestones, results, grown: heap / (early?.heap ?? Number.NaN) };
}

try {
  const volume = await measureVolume('inProcess', sizeOf(isQuick ? 100_000 : 1_000_000, 1_000), 0.8);
  const sockets = await measureVolume('fast', sizeOf(isQuick ? 10_000 : 50_000, 1_000), 1);
  asked.answer(volume.results);
  judge(promises.volumeMemory, [volume.grown]);
  judge(promises.socketsMemory, [sockets.grown]);
  tell(
    'From one report to very many, without a network',
    markdownTable([
      ['reports so far', 'µs of processor each', 'memory in use'],
      ...[...volume.milestones, ...sockets.milestones.slice(-1)].map(({ reports, microseconds, heap }, index) => [
        `${whole(reports)}${index < volume.milestones.length ? '' : ', over sockets'}`,
        fixed(microseconds, 1),
        mega(heap),
      ]),
    ]),
  );
} finally {
  await gateway.stop();
}
