import { cut } from '../../core/platform/messages.js';
import { version } from '../../core/platform/version.js';
import { say } from '../output.js';
import type { Findings } from './assumptions.js';
import { latencyOf } from './recorder.js';
import type { Line, Status, Target } from './run.js';

const MARKS: Readonly<Record<Status, string>> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL', skip: 'skip' };

/** Removes control characters, since a text of a gateway could steer the terminal. */
const plain = (text: string): string => text.replace(/\p{C}+/gu, ' ');

/** The report contains the whole text of a gateway. */
const MOST_SHOWN = 240;

/** Prints a line at once, so that a user sees that the check is waiting for the next one. */
export function printLine({ section, status, name, text, advice }: Line, before: string | undefined): void {
  if (section !== before) say(`\n${section}`);
  say(`  ${MARKS[status]}  ${cut(plain(`${name}: ${text}`), MOST_SHOWN)}`);
  if (advice) say(`        -> ${plain(advice)}`);
}

export function tallyOf(lines: readonly Line[]): Readonly<Record<Status, number>> {
  const count = (status: Status) => lines.filter((line) => line.status === status).length;
  return { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') };
}

const describeTally = (lines: readonly Line[]): string => {
  const { ok, warn, fail, skip } = tallyOf(lines);
  return `${ok} ok, ${warn} ${warn === 1 ? 'warning' : 'warnings'}, ${fail} failed, ${skip} left out`;
};

export function printEnd({ lines }: CheckReport, file: string | undefined): void {
  say(`\n${describeTally(lines)}.`);
  say(
    file === undefined
      ? 'To write a report with every answer and every gap of the specification: --report check.md'
      : `Report: ${file}`,
  );
}

export interface CheckReport extends Pick<Target, 'environment'> {
  /** Undefined if the settings are wrong. */
  readonly target: Target | undefined;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly lines: readonly Line[];
  readonly references: readonly string[];
  readonly assumptions: ReturnType<Findings['list']>;
}

export function reportAsJson({ environment, target, began, lines, references, assumptions }: CheckReport): string {
  const exchanges = target?.recorder.exchanges ?? [];
  const tally = tallyOf(lines);
  const report = {
    version,
    environment,
    baseUrl: target?.gateway.baseUrl,
    at: new Date(began).toISOString(),
    ok: tally.fail === 0,
    tally,
    lines,
    latency: latencyOf(exchanges),
    answers: exchanges.map(({ clock, ...answer }) => answer),
    references,
    assumptions,
  };
  return JSON.stringify(report, null, 2);
}

const cell = (text: string): string => plain(text).replace(/[\\|<>`[\]]/g, '\\$&');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const VERDICT_ORDER = ['differs', 'not seen', 'one value taken', 'confirmed'];

export function reportAsMarkdown({ environment, target, began, lines, references, ...report }: CheckReport): string {
  const exchanges = target?.recorder.exchanges ?? [];
  const assumptions = [...report.assumptions].sort(
    (a, b) => VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict),
  );
  return `${[
    `# Integration Gateway, ${environment}: results of the check`,
    [
      `- Address: ${target ? cell(target.gateway.baseUrl) : 'not set up'}`,
      `- When: ${new Date(began).toISOString()}`,
      `- With: location-sdk ${version}, Node.js ${process.versions.node}`,
      `- Result: ${describeTally(lines)}`,
      ...(references.length > 0 ? [`- Made-up reports were sent under: ${references.join(', ')}`] : []),
    ].join('\n'),
    `${environment === 'production' ? 'The check recorded nothing' : 'The reports were made up'}. This document contains no API key and no personal data. "specification" is that of the Operator Reporting Service.`,
    '## Tests',
    table(
      ['', 'what', 'found', 'to do'],
      lines.map(({ section, status, name, text, advice = '' }) => [
        status,
        ...[`${section}: ${name}`, text, advice].map(cell),
      ]),
    ),
    '## Gaps in the specification',
    'The assumptions of the SDK, and the behaviour of this gateway. Please confirm or correct the rows that are not "confirmed".',
    table(
      ['', 'the specification does not say', 'assumed', 'seen', 'option to change'],
      assumptions.map(({ verdict, gap, assumed, seen, option }) => [
        verdict,
        // The words of this SDK, which contain code.
        gap.replaceAll('|', '\\|'),
        cell(assumed),
        cell(seen),
        option ? `\`${option}\`` : '',
      ]),
    ),
    '## Answers of the gateway',
    exchanges.length === 0
      ? 'No request was sent.'
      : table(
          ['request', 'path', 'status', 'ms', 'body'],
          exchanges.map(({ about, path, status = 'no answer', durationMs, body = '' }) =>
            [about, path, String(status), String(durationMs), body].map(cell),
          ),
        ),
  ].join('\n\n')}\n`;
}
