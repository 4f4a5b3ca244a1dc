// The import of modules, each in a new process.
import { builds, nameOf } from '../builds.js';
import { compare } from '../measure.js';
import { runProcess } from '../process.js';
import { ask, promises, slipOf, tell } from '../promises.js';
import { median } from '../statistics.js';
import { fixed, markdownTable } from '../words.js';

const root = (/** @type {string} */ file) => new URL(`../../node_modules/${file}`, import.meta.url).href;
const own = (/** @type {string} */ key, /** @type {string} */ name, /** @type {string[]} */ ...files) =>
  builds.map((build) => ({
    key: `${key}${build.key}`,
    name: nameOf(name, build),
    modules: files.map((file) => new URL(file, build.folder).href),
  }));

const IMPORTED = [
  ...own('sdk', 'location-sdk', 'index.js'),
  {
    key: 'base',
    name: 'ky and zod/mini',
    modules: [root('ky/distribution/index.js'), root('zod/mini/index.js')],
  },
  ...own('outbox', 'location-sdk/outbox and outbox/sqlite', 'outbox.js', 'outbox-sqlite.js'),
  ...own('transport', 'location-sdk/transport/node', 'transport-node.js').slice(0, 1),
  ...['axios', 'stripe', 'openai', '@segment/analytics-node'].map((name) => ({ key: name, name, modules: [name] })),
];

const lanes = IMPORTED.map(({ key, name, modules }) => ({
  key,
  name,
  turn: () => runProcess(new URL('importing.js', import.meta.url), { words: modules }),
}));
// The first one has a cold disk cache.
for (const { turn } of lanes) await turn();
const asked = ask(
  [promises.start, 'sdk', 'base'],
  [promises.startOutbox, 'outbox', 'base'],
  ...slipOf('start', 'sdk', { by: 'processor' }),
  ...slipOf('start of outbox and outbox/sqlite', 'outbox', { by: 'processor' }),
);
const results = await compare(lanes, { neededAfter: asked.neededAfter });
asked.answer(results);
tell(
  'Import, in fresh processes',
  markdownTable([
    ['', 'ms', 'ms of processor'],
    ...results.map(({ name, rates, processorRates }) => [
      name,
      fixed(1_000 / median(rates), 1),
      fixed(1_000 / median(processorRates), 1),
    ]),
  ]),
);
