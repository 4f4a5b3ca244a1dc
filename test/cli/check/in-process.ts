import { createFindings } from '../../../src/cli/check/assumptions.js';
import { runChecks } from '../../../src/cli/check/checks.js';
import { reportAsJson, reportAsMarkdown } from '../../../src/cli/check/report.js';
import type { Line, Tell } from '../../../src/cli/check/run.js';
import { readTarget } from '../../../src/cli/check/target.js';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { systemClock } from '../../../src/core/platform/time.js';

/**
 * Tests staging with these options, in this process. Returns the findings, and everything that a run prints or writes
 * about them.
 */
export async function checkStaging(options: ClientOptions, { trustEnvironment = false } = {}) {
  const lines: Line[] = [];
  const tell: Tell = (section, name, { status, text, advice }) =>
    void lines.push({ section, status, name, text, advice });
  const target = readTarget(options, 'staging', tell);
  if (!target) throw new Error(lines.map(({ text }) => text).join('; '));
  const findings = createFindings();
  const references: string[] = [];
  const { signal } = new AbortController();
  await runChecks({
    ...target,
    findings,
    references,
    tell,
    signal,
    trustEnvironment,
    state: { recorded: new Set() },
  });
  const report = {
    environment: 'staging',
    target,
    began: systemClock.now(),
    lines,
    references,
    assumptions: findings.list(),
  } as const;
  return { lines, references, shown: `${JSON.stringify(lines)}\n${reportAsJson(report)}\n${reportAsMarkdown(report)}` };
}

export interface Asked {
  /** The path after `/integration-gateway/external/`. */
  readonly path: string;
  readonly key: string | undefined;
  readonly body: { readonly nin?: string };
}

export type Answered = readonly [status: number, body: unknown];

/** A gateway that accepts only its own paths, requires a key, and answers a request with a key as `answer` says. */
export function gatewayThat(
  answer: (asked: Asked) => Answered | undefined,
  isKey: (key: string) => boolean = () => true,
) {
  const asked: Asked[] = [];
  const fetch: NonNullable<ClientOptions['fetch']> = async (url, init) => {
    const one = {
      path: url.split('/external/')[1] ?? '',
      key: init.headers['x-api-key'],
      body: JSON.parse(init.body ?? '{}'),
    };
    asked.push(one);
    const [status, body] = answerOf(one);
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  };
  const answerOf = (one: Asked): Answered => {
    if (one.key === undefined || one.key === 'location-sdk-check-wrong-key' || !isKey(one.key))
      return [401, { error: 'Unauthorized', message: 'no key' }];
    return answer(one) ?? (one.path === 'nin/verify' ? verified(one) : [200, { message: 'recorded' }]);
  };
  return { asked, fetch, reports: () => asked.filter(({ path }) => path.startsWith('report-')) };
}

const verified = ({ body: { nin = '' } }: Asked): Answered =>
  /^\d{11}$/.test(nin) ? [200, { success: nin.startsWith('99') }] : [400, { message: 'no number' }];
