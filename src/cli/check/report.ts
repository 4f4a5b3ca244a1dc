import type { Environment } from '../../errors/errors.js';
import { version } from '../../platform/version.js';
import type { Findings } from './assumptions.js';
import type { Recorder } from './exchange.js';
import { type FromCheck, optionsAsSource } from './from-check.js';
import { latencyOf } from './latency.js';
import { measuredOf } from './measured.js';
import { describeTally, tallyOf } from './print.js';
import type { Line, Target } from './run.js';

/** The results of a run. */
export interface Report {
  readonly environment: Environment;
  readonly target: (Target & { readonly recorder: Recorder }) | undefined;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly lines: readonly Line[];
  readonly references: readonly string[];
  readonly assumptions: ReturnType<Findings['list']>;
  /** The options that this gateway needs. Undefined if the repeats were not measured. */
  readonly fromCheck: FromCheck | undefined;
}

const exchangesOf = ({ target }: Report) => target?.recorder.exchanges ?? [];

export const reportAsJson = (report: Report): string =>
  JSON.stringify(
    {
      version,
      environment: report.environment,
      baseUrl: report.target?.gateway.baseUrl,
      at: new Date(report.began).toISOString(),
      ok: tallyOf(report.lines).fail === 0,
      tally: tallyOf(report.lines),
      lines: report.lines,
      latency: latencyOf(exchangesOf(report)),
      measured: measuredOf(exchangesOf(report)),
      options: report.fromCheck && optionsAsSource(report.fromCheck),
      answers: exchangesOf(report).map(({ clock, ...answer }) => answer),
      references: report.references,
      assumptions: report.assumptions,
    },
    null,
    2,
  );

/** Escapes a text of a gateway for a cell of a table. */
const cell = (text: string): string => text.replace(/\p{C}+/gu, ' ').replace(/[\\|<>`[\]]/g, '\\$&');
/** Escapes a text of this SDK, which may contain code. */
const own = (text: string): string => text.replaceAll('|', '\\|');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const VERDICT_ORDER = ['differs', 'not seen', 'one value taken', 'confirmed'];

export function reportAsMarkdown(report: Report): string {
  const { environment, target, began, lines, references } = report;
  const exchanges = exchangesOf(report);
  const measured = measuredOf(exchanges);
  const source = optionsAsSource(report.fromCheck ?? {});
  const assumptions = [...report.assumptions].sort((a, b) => VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict));
  return `${[
    `# Integration Gateway, ${environment}: results of the check`,
    [
      `- Address: ${target ? cell(target.gateway.baseUrl) : 'not set up'}`,
      `- When: ${new Date(began).toISOString()}`,
      `- With: location-sdk ${version}, Node.js ${process.versions.node}`,
      `- Result: ${describeTally(lines)}`,
      ...(references.length > 0 ? [`- Made-up reports were sent under: ${references.join(', ')}`] : []),
    ].join('\n'),
    'The reports were made up. This document contains no API key and no personal data. "specification" is that of the Operator Reporting Service.',
    '## Tests',
    table(
      ['', 'what', 'found', 'to do'],
      lines.map(({ section, status, name, text, advice = '' }) => [status, cell(`${section}: ${name}`), cell(text), cell(advice)]),
    ),
    '## Gaps in the specification',
    'The assumptions of the SDK, and the behaviour of this gateway. Please confirm or correct the rows that are not "confirmed".',
    table(
      ['', 'the specification does not say', 'assumed', 'seen', 'option to change'],
      assumptions.map(({ verdict, gap, assumed, seen, option }) => [verdict, own(gap), cell(assumed), cell(seen), option ? `\`${option}\`` : '']),
    ),
    '## Measurements',
    measured.length === 0
      ? 'Nothing: see above.'
      : table(
          ['', 'seen', 'assumed'],
          measured.map(({ what, seen, assumed }) => [own(what), cell(seen), own(assumed)]),
        ),
    ...(source === '' ? [] : ['Options for `createClient`, since this gateway differs:', `\`\`\`js\n${source}\n\`\`\``]),
    '## Answers of the gateway',
    exchanges.length === 0
      ? 'No request was sent.'
      : table(
          ['request', 'path', 'status', 'content type', 'ms', 'body'],
          exchanges.map(({ about, path, status, retryAfter, contentType = '', durationMs, body = '' }) => [
            cell(about),
            cell(path),
            status === undefined ? 'no answer' : `${status}${retryAfter === undefined ? '' : cell(`, Retry-After: ${retryAfter}`)}`,
            cell(contentType),
            String(durationMs),
            cell(body),
          ]),
        ),
  ].join('\n\n')}\n`;
}
