import { median, ratioOf } from '../measure.js';
import { runProcess } from '../process.js';

const dist = (/** @type {string} */ file) => new URL(`../../dist/${file}`, import.meta.url).href;
const root = (/** @type {string} */ file) => new URL(`../../node_modules/${file}`, import.meta.url).href;

/** The imported modules. The first two are compared. */
const IMPORTED = {
  'location-sdk': [dist('index.js')],
  'ky and zod/mini': [root('ky/distribution/index.js'), root('zod/mini/index.js')],
  'location-sdk/transport/node': [dist('transport-node.js')],
  axios: ['axios'],
  'stripe-node': ['stripe'],
  'openai-node': ['openai'],
  '@segment/analytics-node': ['@segment/analytics-node'],
};

/**
 * New processes, one after the other, alternating.
 * @param {import('../process.js').Runtime} runtime
 * @param {number} rounds
 */
export async function measureImports(runtime, rounds) {
  const times = Object.keys(IMPORTED).map((name) => ({
    name,
    times: /** @type {number[]} */ ([]),
    processor: /** @type {number[]} */ ([]),
  }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, modules] of Object.values(IMPORTED).entries()) {
      const { took, processor } = await runProcess(new URL('importing.js', import.meta.url), {
        runtime,
        words: modules,
      });
      // The first one has a cold disk cache.
      if (round === 0) continue;
      times[index]?.times.push(took);
      times[index]?.processor.push(processor);
    }
  }
  const [own = [], base = []] = times.map(({ processor }) => processor);
  return {
    imports: times.map(({ name, times: took, processor }) => ({
      name,
      milliseconds: median(took),
      processor: median(processor),
    })),
    /** Of the processor's time, on which load has less influence. */
    ratio: ratioOf(own, base),
  };
}
