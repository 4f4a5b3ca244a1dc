import type { FaultRule, SetFault } from '../../src/testing/mock/faults.js';
import { StackedChart, sumOf } from '../kit/chart.js';
import { announce } from '../kit/page.js';
import { Button, EmptyState, Mark, PasteBlock, type Tone } from '../kit/parts.js';
import { counted, grouped } from '../kit/words.js';
import { adminApi } from './admin-api.js';
import { type Entry, outcomeOf } from './store.js';
import { EXAMPLE, EXAMPLE_PATH, faultWords, toCurl } from './words.js';

const MOST_FAULTS = 50;

const SWITCHES: readonly (readonly [words: string, rule: FaultRule])[] = [
  ['Lose the next answer', { kind: 'connection-reset', when: 'after' }],
  ['503, twice', { kind: 'status', status: 503, times: 2 }],
  ['429, wait 2 s', { kind: 'status', status: 429, retryAfter: 2 }],
  ['Slow, 3 s', { kind: 'latency', delay: 3_000 }],
  ['Hang', { kind: 'hang' }],
];

const leftOf = ({ times, struck }: SetFault) =>
  times === null ? `applied ${struck}` : `applied ${struck} of ${times ?? 1}`;
const isUsedUp = ({ times, struck }: SetFault) => times !== null && struck >= (times ?? 1);

interface FaultsProps {
  readonly faults: readonly SetFault[];
  readonly refresh: () => Promise<void>;
}

export function Faults({ faults, refresh }: FaultsProps) {
  async function add(rule: FaultRule): Promise<void> {
    await adminApi.addFault(rule);
    await refresh();
    announce(`Fault set: ${faultWords(rule)}`);
  }
  async function remove(id: number): Promise<void> {
    await adminApi.removeFault(id);
    await refresh();
    const next =
      document.querySelector<HTMLElement>('#set button') ?? document.querySelector<HTMLElement>('#switches button');
    next?.focus();
    announce('Fault removed');
  }
  // Active faults come first, then the newest of the rest: the list may be longer than its box.
  const newest = [...faults].reverse();
  const shown = [...newest.filter((fault) => !isUsedUp(fault)), ...newest.filter(isUsedUp)].slice(0, MOST_FAULTS);
  return (
    <>
      <div class="switches" id="switches">
        {SWITCHES.map(([words, rule]) => (
          <Button key={words} onClick={() => add(rule)} words={words} />
        ))}
      </div>
      <ul class="set" id="set">
        {shown.map((fault) => (
          <li key={fault.id} class={isUsedUp(fault) ? 'used' : ''}>
            <span>
              <b>{faultWords(fault)}</b>
              <small>{` ${isUsedUp(fault) ? 'used up' : leftOf(fault)}`}</small>
            </span>
            <Button
              class="quiet"
              aria-label={`Remove ${faultWords(fault)}`}
              onClick={() => remove(fault.id)}
              words="×"
            />
          </li>
        ))}
      </ul>
    </>
  );
}

const SPAN_MS = 300_000;
const BARS = 60;
const BAR_MS = SPAN_MS / BARS;

const LAYERS = ['ok', 'doubt', 'repeat', 'bad'] as const satisfies readonly Tone[];
const NAMES: Readonly<Record<Tone, string>> = {
  ok: 'succeeded',
  doubt: 'answer lost',
  repeat: 'repeated',
  bad: 'refused or failed',
};

const noneYet = (): Record<Tone, number> => ({ ok: 0, doubt: 0, repeat: 0, bad: 0 });

interface TrafficProps {
  readonly entries: readonly Entry[];
  readonly now: number;
}

export function Traffic({ entries, now }: TrafficProps) {
  const last = Math.floor(now / BAR_MS);
  const bars = Array.from({ length: BARS }, noneYet);
  const totals = noneYet();
  for (const entry of entries) {
    const bar = bars[BARS - 1 - (last - Math.floor(entry.at / BAR_MS))];
    if (entry.earlier || !bar) continue;
    const { tone } = outcomeOf(entry);
    bar[tone] += 1;
    totals[tone] += 1;
  }
  const highest = Math.max(...bars.map((bar) => sumOf(bar, LAYERS)));
  const sums = LAYERS.map((tone) => `${totals[tone]} ${NAMES[tone]}`).join(', ');
  return (
    <section class="card traffic" aria-labelledby="traffic-title">
      <h2 id="traffic-title">Last 5 minutes</h2>
      <ul class="counts" id="counts">
        {LAYERS.map((tone) => (
          <li key={tone} class={totals[tone] ? '' : 'none'}>
            <Mark tone={tone} />
            <b>{grouped(totals[tone])}</b>
            {` ${NAMES[tone]}`}
          </li>
        ))}
      </ul>
      <div id="chart">
        <StackedChart
          bars={bars}
          layers={LAYERS}
          label={`${sums}; at most ${counted(highest, 'request')} in 5 seconds`}
          axis={['5 minutes ago', highest > 0 ? `peak ${highest} in 5 s` : '', 'now']}
        />
      </div>
    </section>
  );
}

export function Instructions() {
  const { origin } = location;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: for the shell.
  const key = '${LOCATION_SDK_KEY:-mock-api-key}';
  const example = toCurl(origin, { method: 'POST', path: EXAMPLE_PATH, body: EXAMPLE }, key);
  return (
    <EmptyState title="Waiting for the first report">
      <p>Start your application with this variable. Its staging requests then arrive here:</p>
      <PasteBlock what="the environment variable" text={`LOCATION_SDK_MOCK=${origin}`} />
      <p>Or send a report by hand:</p>
      <PasteBlock what="the curl line" text={example} />
    </EmptyState>
  );
}
