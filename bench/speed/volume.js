// Whether many reports cost more than few: one process that has sent nearly all of them and one that has just started
// alternate.
import { median, ratioOf } from '../measure.js';
import { startProcess } from '../process.js';

/** @typedef {{ reports: number, microseconds: number, heap: number }} Milestone at that number: of the processor for one report; bytes in use */
/** @typedef {{ milestones: Milestone[], few: number, many: number, ratio: number, earlyAt: number, early: number, late: number, reports: number }} Volume */

const FEW = 10_000;
const CONCURRENCY = 50;

/**
 * @param {import('../process.js').Runtime} runtime
 * @param {number} port
 * @param {{ key: string, reports: number, rounds: number }} size
 * @returns {Promise<Volume>}
 */
export async function measureVolume(runtime, port, { key, reports, rounds }) {
  const start = () =>
    startProcess(new URL('lane.js', import.meta.url), { runtime, words: [key, String(port)], flags: ['--expose-gc'] });
  const turn = Math.min(2_000, reports / 20);
  const old = await start();
  /** @type {Milestone[]} */
  const milestones = [];
  let sent = 0;
  /**
   * @param {Awaited<ReturnType<typeof start>>} child
   * @param {number} count
   * @param {{ collect?: boolean }} [options] A full collection while no work runs also discards code compiled for
   * objects that do not exist at that moment.
   */
  const send = async (child, count, { collect = true } = {}) => {
    const { processor, heap } = await child.ask({ concurrency: Math.min(CONCURRENCY, count), reports: count, collect });
    return { microseconds: (processor / count) * 1_000, heap };
  };
  for (let next = 1; next < reports; next *= 10) {
    milestones.push({ reports: next, ...(await send(old, next - sent)) });
    sent = next;
  }
  await send(old, reports - sent - turn * (rounds + 1));
  const young = await start();
  await send(young, Math.min(FEW, reports / 2) - turn);
  const costs = { few: /** @type {number[]} */ ([]), many: /** @type {number[]} */ ([]) };
  for (const child of [young, old]) await send(child, turn, { collect: false });
  for (let round = 0; round < rounds; round += 1) {
    costs.few.push((await send(young, turn, { collect: false })).microseconds);
    costs.many.push((await send(old, turn, { collect: false })).microseconds);
  }
  const many = median(costs.many);
  const { heap: late } = await send(old, turn);
  milestones.push({ reports, microseconds: many, heap: late });
  await old.stop();
  await young.stop();
  const earlyAt = reports > FEW ? FEW : reports / 10;
  const early = milestones.find((milestone) => milestone.reports === earlyAt)?.heap ?? Number.NaN;
  return {
    milestones,
    few: median(costs.few),
    many,
    ratio: ratioOf(costs.many, costs.few),
    earlyAt,
    early,
    late,
    reports,
  };
}
