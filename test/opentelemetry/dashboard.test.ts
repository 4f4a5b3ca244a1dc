import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { INSTRUMENTS } from '../../src/entries/opentelemetry.js';
import type { InstrumentRow } from '../../src/opentelemetry/instruments.js';
import { root } from '../support/run.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const ROWS: readonly InstrumentRow[] = Object.values(INSTRUMENTS);

const escaped = (name: string) => name.replace(/\W/g, '_');

/** The names of the Prometheus exporter of Node.js; test/opentelemetry/prometheus.test.ts reads them from it. */
function seriesOf({ name, kind }: InstrumentRow): string[] {
  const metric = escaped(name);
  if (kind === 'histogram') return [`${metric}_bucket`, `${metric}_count`, `${metric}_sum`];
  return [kind === 'counter' ? `${metric}_total` : metric];
}

const instrumentOf = new Map(ROWS.flatMap((row) => seriesOf(row).map((series) => [series, row] as const)));

/** The problems of a query, in words. */
function problemsOf(query: string): string[] {
  const words = new Set(query.replace(/"[^"]*"/g, '""').match(/\b(?:location_sdk|error|http)_\w+/g));
  const used = [...words].flatMap((word) => instrumentOf.get(word) ?? []);
  if (used.length === 0) return [`${query}: no existing metric`];
  const labels = ['location_sdk_account', ...used.flatMap(({ attributes }) => attributes.map(escaped))];
  return [...words]
    .filter((word) => !instrumentOf.has(word) && !labels.includes(word))
    .map((word) => `${query}: ${word} is not a metric or a label of it`);
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard: { panels: Panel[]; templating: { list: { definition?: string }[] } } = JSON.parse(
  read('examples/grafana/outbox.json'),
);
const alerts = [...read('examples/grafana/alerts.yaml').matchAll(/alert: (\w+)\n\s+expr: (.*)/g)].map(
  ([, name = '', query = '']) => ({ name, query }),
);
const queries = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ definition = [] }) => definition),
];

describe('the dashboard', () => {
  it.each(queries)('queries existing metrics: %s', (query) => expect(problemsOf(query)).toEqual([]));

  it('shows every metric', () => {
    const text = queries.join('\n');
    expect(
      ROWS.filter((row) => !seriesOf(row).some((series) => text.includes(series))).map(({ name }) => name),
    ).toEqual([]);
  });

  it('describes every panel, and none covers another', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(panels.length).toBeGreaterThan(10);
    expect(panels.filter(({ title, description, targets }) => !title || !description || !targets?.length)).toEqual([]);
    const taken = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(taken).toHaveLength(new Set(taken).size);
  });

  it('does not add up gauges of the store over processes', () => {
    const summed = queries.filter((query) =>
      /\bsum(?: by \([^)]*\))? ?\((?!max)[^)]*(?:report_count|oldest_open_age|outbox_paused)/.test(query),
    );
    expect(summed).toEqual([]);
  });
});

/** The alerts of the page on call, by when each reaches a person. */
const [, NOW = '', TODAY = ''] =
  /^\*\*Now\*\*, wake a person:\n(.*?)^\*\*Within the day\*\*, tell a person:\n(.*?)^These lines/ms.exec(
    read('docs/how-to/on-call.md'),
  ) ?? [];
const toldIn = (list: string) => [...list.matchAll(/^- `([A-Z]\w+)`:/gm)].map(([, name]) => name);

describe('the alerts', () => {
  it.each(alerts)('$name queries existing metrics', ({ query }) => expect(problemsOf(query)).toEqual([]));

  it('are those of the guide', () => {
    expect(alerts.length).toBeGreaterThan(5);
    expect(alerts.map(({ name }) => name).sort()).toEqual(toldIn(NOW + TODAY).sort());
  });

  it.each(alerts)('$name wakes a person on the page for the person on call as in the rules', ({ name }) => {
    const [, severity] =
      new RegExp(`alert: ${name}\\n(?: +(?!- alert).*\\n)*? +severity: (\\w+)`).exec(
        read('examples/grafana/alerts.yaml'),
      ) ?? [];
    expect(severity).toMatch(/^(?:page|ticket)$/);
    expect(toldIn(severity === 'page' ? NOW : TODAY)).toContain(name);
  });

  it('have the limits of the page on call and of the function in the list before going live', () => {
    const many = alerts.find(({ name }) => name === 'ManyReportsQuarantined')?.query.split('> ')[1];
    const old = Number(alerts.find(({ name }) => name === 'ReportsNotSent')?.query.split('> ')[1]);
    const going = read('examples/watch.ts');
    expect(read('docs/how-to/on-call.md')).toContain(`more than ${many} reports are quarantined`);
    expect(going).toContain(`> ${many};`);
    expect(read('docs/how-to/on-call.md')).toContain('older than 65 minutes');
    expect(Number(/HOUR_MS = ([\d_]+)/.exec(going)?.[1]?.replaceAll('_', ''))).toBe(old * 1_000);
    const reasons = [...read('examples/grafana/alerts.yaml').matchAll(/alert: (\w+)\n.*pause_reason="(\w+)"/g)];
    expect(reasons.length).toBe(4);
    for (const [, name, reason] of reasons) expect(going).toContain(`${reason}: '${name}'`);
    expect(read('docs/how-to/on-call.md')).toContain('none for 80 seconds');
    expect(alerts.find(({ name }) => name === 'NothingIsSent')?.query).toContain('[80s:5s]');
    expect(going).toContain('NOTHING_MS = 80_000');
  });

  it.each(alerts.filter(({ name }) => name !== 'OutboxSilent'))('$name is also one of the function', ({ name }) =>
    expect(read('examples/watch.ts')).toMatch(new RegExp(`\\b${name}\\b`)),
  );
});

test.each([
  ['ManyReportsQuarantined', /expr: .* > 20$/m, 'more than 20 reports'],
  ['ReportsQuarantined', /expr: .* > 0$/m, 'at least one report'],
  ['ReportsNotSent', /expr: .* > 3600\n +for: 5m$/m, 'older than 65 minutes'],
  ['ReportingPaused', /for: 15m$/m, 'for 15 minutes'],
  ['OutboxSilent', /for: 80s$/m, 'for 80 seconds'],
  ['OutboxStoreFails', /\[10m\].* > 5$/m, 'more than 5 times in 10 minutes'],
])('%s rings at the limit that the guide names', (name, limit, words) => {
  const rule =
    read('examples/grafana/alerts.yaml')
      .split('- alert: ')
      .find((text) => text.startsWith(`${name}\n`)) ?? '';
  expect(rule).toMatch(limit);
  expect(read('docs/how-to/on-call.md')).toMatch(new RegExp(`^- \`${name}\`:.*${words}`, 'm'));
});

test('a pause rings only while a report waits: one with an empty queue ends with the next report', () => {
  const { query } = alerts.find(({ name }) => name === 'ReportingPaused') ?? {};
  expect(query).toMatch(/ and on \(job\) max by \(job\) \(location_sdk_outbox_oldest_open_age_seconds\) > 0$/);
});

test('a wrong query is detected', () => {
  expect(problemsOf('rate(location_sdk_outbox_nothing_total[5m])')).toHaveLength(1);
  expect(problemsOf('sum by (error_type) (location_sdk_outbox_paused)')).toEqual([
    expect.stringContaining('error_type is not a metric or a label of it'),
  ]);
});
