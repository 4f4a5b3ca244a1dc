// The results in words: tables, charts, and whether each promised value is met.
import { median, ratioOf } from '../measure.js';
import { fixed, markdownTable, mega, whole } from '../words.js';
import { barChart } from './chart.js';
import { CONCURRENCIES } from './sending.js';

/**
 * @typedef {object} Measured the results of one Node.js
 * @property {string} name
 * @property {import('./sending.js').Sent[]} sent
 * @property {Awaited<ReturnType<typeof import('./imports.js').measureImports>>} imported
 * @property {{ key: string, name: string, rounds: number[] }[]} validated microseconds, for each round
 * @property {import('./volume.js').Volume} volume without a network
 * @property {import('./volume.js').Volume} sockets over sockets
 */

/** @typedef {{ what: string, limit: string, figure: string, kept: boolean }} Promised */

const isOwn = (/** @type {string} */ name) => name.startsWith('location-sdk');

/** @param {Measured} measured @param {string} one @param {string} other */
function faster({ sent }, one, other, concurrency = 50) {
  const rates = (/** @type {string} */ key) => sent.find((row) => row.key === key)?.perSecond[concurrency] ?? [];
  return ratioOf(rates(one), rates(other));
}

/**
 * The promised values. A quick run has a quarter of the rounds and of the warm-up, so it may miss each by a fifth.
 *
 * @param {Measured} measured
 * @param {boolean} [isQuick]
 * @returns {Promised[]}
 */
export function promisesOf(measured, isQuick = false) {
  const slack = isQuick ? 1.2 : 1;
  const { imported, validated, volume, sockets } = measured;
  const checked = (/** @type {string} */ key) => validated.find((row) => row.key === key)?.rounds ?? [];
  const atLeast = (/** @type {string} */ what, /** @type {number} */ limit, /** @type {number} */ ratio) => ({
    what,
    limit: `at least ${fixed(limit)} ×`,
    figure: `${fixed(ratio)} ×`,
    kept: ratio * slack >= limit,
  });
  const atMost = (
    /** @type {string} */ what,
    /** @type {number} */ limit,
    /** @type {number} */ figure,
    unit = '×',
  ) => ({
    what,
    limit: `at most ${fixed(limit)} ${unit}`,
    figure: `${fixed(figure)} ${unit}`,
    kept: figure <= limit * slack,
  });
  return [
    atLeast('default transport, beside bare ky, 50 at once', 0.9, faster(measured, 'sdk', 'ky')),
    atLeast('nodeTransport(), beside stripe-node, 50 at once', 1, faster(measured, 'fast', 'stripe')),
    // The two are as fast as each other, and a run differs from the next one by a tenth.
    atLeast('nodeTransport(), beside bare http.request, 50 at once', 0.9, faster(measured, 'fast', 'http')),
    atMost('copy and check of a settled bet', 6, median(checked('whole')), 'µs'),
    atMost('import, beside that of ky and zod/mini alone', 0.75, imported.ratio),
    atMost(`cost of a report at ${whole(volume.reports)}, beside that at 10,000`, 1.2, volume.ratio),
    atMost(`memory after ${whole(volume.reports)} reports, beside that after 10,000`, 1.1, volume.late / volume.early),
    atMost(
      `memory after ${whole(sockets.reports)} reports over sockets, beside that after ${whole(sockets.earlyAt)}`,
      1.25,
      sockets.late / sockets.early,
    ),
  ];
}

/** @param {Measured} measured */
const sendingTable = ({ sent }) => {
  const bare = sent.find(({ key }) => key === 'fetch');
  const head = [
    '',
    ...CONCURRENCIES.map((concurrency) => `a second, ${concurrency} at once`),
    'µs of processor',
    'kB allocated',
    'p50 over fetch, ms',
    'p99 over fetch, ms',
  ];
  const rows = sent.map(({ name, perSecond, processor, allocated, p50, p99 }) => [
    name,
    ...CONCURRENCIES.map((concurrency) => whole(median(perSecond[concurrency] ?? []))),
    whole(processor),
    fixed(allocated / 1_000, 1),
    fixed(p50 - (bare?.p50 ?? Number.NaN)),
    fixed(p99 - (bare?.p99 ?? Number.NaN)),
  ]);
  return markdownTable([head, ...rows]);
};

/** @param {Measured} measured */
const volumeTable = ({ volume, sockets }) =>
  markdownTable([
    ['reports so far', 'µs of processor each', 'memory in use'],
    ...volume.milestones.map(({ reports, microseconds, heap }) => [whole(reports), fixed(microseconds, 1), mega(heap)]),
    ...sockets.milestones
      .slice(-1)
      .map(({ reports, microseconds, heap }) => [
        `${whole(reports)}, over sockets`,
        fixed(microseconds, 1),
        mega(heap),
      ]),
  ]);

/** One Node.js, as Markdown. @param {Measured} measured @param {number} level of its headings */
export function sectionOf(measured, level = 2) {
  const heading = (/** @type {string} */ text, deeper = 1) => `${'#'.repeat(level + deeper)} ${text}`;
  return [
    heading(measured.name, 0),
    heading('Promised values'),
    markdownTable([
      ['', 'promised', 'measured', ''],
      ...promisesOf(measured).map(({ what, limit, figure, kept }) => [
        what,
        limit,
        figure,
        kept ? 'kept' : '**not kept**',
      ]),
    ]),
    heading('Sending one settled bet, and reading the answer'),
    sendingTable(measured),
    heading('Import, in fresh processes'),
    markdownTable([
      ['', 'ms', 'ms of processor'],
      ...measured.imported.imports.map(({ name, milliseconds, processor }) => [
        name,
        whole(milliseconds),
        whole(processor),
      ]),
    ]),
    heading('Checking a settled bet'),
    markdownTable([
      ['', 'µs of processor'],
      ...measured.validated.map(({ name, rounds }) => [name, fixed(median(rounds))]),
    ]),
    heading('From one report to very many, without a network'),
    volumeTable(measured),
  ].join('\n\n');
}

/** @param {readonly import('./page-scripts.js').PageScript[]} scripts */
export const pageScriptsTable = (scripts) =>
  markdownTable([
    ['', 'bytes, gzip -9', 'as large', 'ms, four times slower', 'as long'],
    ...scripts.map(({ name, bytes, milliseconds, ratio }) => [
      name,
      whole(bytes),
      `${fixed(bytes / (scripts[0]?.bytes ?? Number.NaN))} ×`,
      fixed(milliseconds, 1),
      `${fixed(ratio)} ×`,
    ]),
  ]);

/**
 * By the names of their files.
 * @param {readonly Measured[]} all
 * @param {readonly import('./page-scripts.js').PageScript[]} scripts
 */
export function chartsOf(all, scripts) {
  const series = all.map(({ name }) => name);
  /** @param {(measured: Measured) => readonly { name: string, value: number }[]} figures */
  const rowsOf = (figures) => {
    const lists = all.map(figures);
    return (lists[0] ?? []).map(({ name }, row) => ({
      name,
      own: isOwn(name),
      values: lists.map((list) => list[row]?.value ?? Number.NaN),
    }));
  };
  const sent = (/** @type {(row: import('./sending.js').Sent) => number} */ figure) =>
    rowsOf((measured) => measured.sent.map((row) => ({ name: row.name, value: figure(row) })));
  return {
    'reports.svg': barChart({
      title: 'Reports a second, 50 at once',
      subtitle: 'One process each, the same local server; more is better',
      series,
      rows: sent(({ perSecond }) => median(perSecond[50] ?? [])),
      format: whole,
    }),
    'processor.svg': barChart({
      title: 'Processor time of one report',
      subtitle: 'Microseconds in the sending process, 50 at once; less is better',
      series,
      rows: sent(({ processor }) => processor),
      format: (value) => `${whole(value)} µs`,
    }),
    'import.svg': barChart({
      title: 'Import',
      subtitle: 'Milliseconds of processor in a fresh process; less is better',
      series,
      rows: rowsOf(({ imported }) => imported.imports.map(({ name, processor }) => ({ name, value: processor }))),
      format: (value) => `${whole(value)} ms`,
    }),
    'volume.svg': barChart({
      title: 'Cost of one report after many reports',
      subtitle: 'Microseconds of processor without a network; the first ones find the code cold',
      series,
      rows: rowsOf(({ volume }) =>
        volume.milestones
          .filter(({ reports }) => reports >= 1_000)
          .map(({ reports, microseconds }) => ({ name: whole(reports), value: microseconds })),
      ).map((row) => ({ ...row, own: true })),
      format: (value) => `${fixed(value, 1)} µs`,
    }),
    'size.svg': barChart({
      title: 'Download of a page',
      subtitle: 'Bytes, gzip -9; less is better',
      series: [''],
      rows: scripts.map(({ name, bytes }) => ({ name, own: isOwn(name), values: [bytes] })),
      format: whole,
    }),
    'evaluation.svg': barChart({
      title: "Start of a page's script",
      subtitle: 'Milliseconds in Chromium, processor slowed down four times; less is better',
      series: [''],
      rows: scripts.map(({ name, milliseconds }) => ({ name, own: isOwn(name), values: [milliseconds] })),
      format: (value) => `${fixed(value, 1)} ms`,
    }),
  };
}
