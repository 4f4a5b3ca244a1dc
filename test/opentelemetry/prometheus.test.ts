import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTRUMENTS, instrumentClient, instrumentOutbox } from '../../src/entries/opentelemetry.js';
import type { Outbox } from '../../src/entries/outbox.js';
import type { InstrumentRow } from '../../src/opentelemetry/instruments.js';
import { outboxWorld } from '../outbox/world.js';
import { betEvent, settledBet } from '../support/factories.js';
import { listen } from '../support/listen.js';
import { root } from '../support/run.js';

/**
 * The dashboard and the alerts, compared with real scraped metrics: the exporter of OpenTelemetry for Node.js, over
 * HTTP.
 */

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly name: string;
  readonly labels: Labels;
}

/** Prometheus adds these to every sample that it scrapes. */
const ADDED: Labels = { job: 'bets', instance: 'localhost:9464' };

const labelsOf = (text: string): Labels =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));

/** The text format of Prometheus. */
const samplesOf = (text: string): Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      return { name, labels: { ...labelsOf(labels), ...ADDED } };
    });

const GROUPING = /\bby \(([^)]*)\)/g;

/** The selectors of a query, and the labels by which it groups. */
function readQuery(query: string) {
  const expression = query.replace(/^label_values\((.*), \w+\)$/, '$1');
  const selectors = [...expression.replace(GROUPING, '').matchAll(/\b(location_sdk_\w+)(?![\w"=!])(?:\{([^}]*)\})?/g)];
  const names = selectors.filter(([, name]) => !isLabel(expression, `${name}`));
  return {
    selectors: names.map(([, name = '', matchers = '']) => ({ name, matchers })),
    groups: [...expression.matchAll(GROUPING)].flatMap(([, labels = '']) => labels.split(/, */)),
  };
}

const isLabel = (expression: string, name: string): boolean => new RegExp(`\\b${name}(?:=|!)`).test(expression);

/** Whether a sample matches a selector. Variables of Grafana match any value. */
function isSelected({ name, labels }: Sample, selector: { name: string; matchers: string }): boolean {
  const matchers = [...selector.matchers.matchAll(/(\w+)(=~|!~|=|!=)"([^"]*)"/g)];
  return (
    name === selector.name &&
    matchers.every(([, label = '', operator, value = '']) => {
      const isSame = new RegExp(`^(?:${value.startsWith('$') ? '.*' : value})$`).test(labels[label] ?? '');
      return label in labels && isSame === !operator?.startsWith('!');
    })
  );
}

const dashboard = JSON.parse(readFileSync(join(root, 'examples/grafana/outbox.json'), 'utf8')) as {
  panels: { targets?: { expr: string }[] }[];
  templating: { list: { definition?: string }[] };
};
const alerts = readFileSync(join(root, 'examples/grafana/alerts.yaml'), 'utf8');
const queries = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ definition = [] }) => definition),
  ...[...alerts.matchAll(/\bexpr: (.*)/g)].flatMap(([, query = '']) => query.split(/ (?:and|unless) on \(job\) /)),
];

const exporter = new PrometheusExporter({ preventServerStart: true });
const meterProvider = new MeterProvider({ readers: [exporter] });
const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
let samples: Sample[];

beforeAll(async () => {
  const { make, client, run, gateway } = outboxWorld();
  const instrumented = instrumentClient(client, { meterProvider });
  const given = make({ client: instrumented });
  let tellLate: () => void = () => {};
  const on: Outbox['on'] = (type, listener) => {
    if (type === 'late')
      tellLate = () =>
        (listener as (event: object) => void)({
          account: 'default',
          operation: 'reportBetEvent',
          environment: 'staging',
        });
    return given.on(type, listener);
  };
  const outbox = instrumentOutbox({ ...given, on }, { meterProvider });
  gateway.faults.add({ kind: 'status', status: 422, times: 1 });
  const { id } = await outbox.reportBetEvent(betEvent({ bet_id: 'BET-1' }));
  await outbox.reportBetEvent(betEvent({ bet_id: 'BET-2' }));
  await run(outbox.drain());
  await outbox.resolve(id, { as: 'dismissed', reason: 'a test' });
  await instrumented.reportSettledBet(settledBet({ bet_id: 'BET-none' })).catch(() => {});
  tellLate();
  const { url, close } = await listen(server);
  samples = samplesOf(await (await fetch(`${url}/metrics`)).text());
  await close();
}, 60_000);

afterAll(async () => {
  await meterProvider.shutdown();
});

describe('the metrics of the Prometheus exporter of Node.js', () => {
  it.each(queries)('answers %s', (query) => {
    const { selectors, groups } = readQuery(query);
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of selectors) {
      const selected = samples.filter((sample) => isSelected(sample, selector));
      expect(selected.length, `nothing is selected by ${selector.name}{${selector.matchers}}`).toBeGreaterThan(0);
    }
    // A label of failures alone is on some of the samples only, and each part of a query has labels of its own.
    const known = samples.filter(({ name }) => selectors.some((selector) => selector.name === name));
    // An account with a name is a label of its own.
    const missing = groups.filter((label) => !known.some(({ labels }) => label in labels));
    expect(missing.filter((label) => label !== 'location_sdk_account')).toEqual([]);
  });

  it('are all instruments, under the same names as through the Collector, and the dashboard queries each', () => {
    const asked = queries.join('\n');
    for (const row of Object.values(INSTRUMENTS)) {
      const series = nameInCollector(row) + (row.kind === 'histogram' ? '_bucket' : '');
      expect(samples.map(({ name }) => name)).toContain(series);
      expect(asked).toContain(nameInCollector(row));
    }
  });

  it('has a description for every query', () => {
    expect(queries.length).toBeGreaterThan(25);
    expect(
      samples.some((sample) => isSelected(sample, { name: 'location_sdk_outbox_oldest_open_age', matchers: '' })),
    ).toBe(false);
  });
});

/**
 * The metric name from the Collector's Prometheus exporter, Prometheus's own OTLP receiver and the OpenTelemetry
 * specification: a UCUM unit is added unless the name ends with it, a unit in braces never is, and `_total` is the end
 * of a counter's name.
 */
function nameInCollector({ name, unit, kind }: InstrumentRow): string {
  const words = name.split(/[^A-Za-z0-9]+/);
  const ofUnit = unit === 's' ? 'seconds' : undefined;
  if (ofUnit !== undefined && words.at(-1) !== ofUnit) words.push(ofUnit);
  if (kind === 'counter') words.push('total');
  return words.join('_');
}
