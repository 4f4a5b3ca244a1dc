import type { Charts as ChartData } from '../../src/operator/charts.js';
import type { Overview } from '../../src/operator/overview.js';
import { StackedChart } from '../kit/chart.js';
import { Button, Card, Mark, type Tone } from '../kit/parts.js';
import { counted, grouped } from '../kit/words.js';
import { call } from './calls.js';
import { Reasons, reasonsOf, stopsIn } from './reasons.js';
import { type ConsolePage, createViewElement, type View } from './view.js';
import { duration, placeWords } from './words.js';

const FRESH_MS = 5_000;
/** The charts move by the minute, so they are read less often than the counts. */
const LOOKS_PER_CHARTS = 5;

export function createOverview(page: ConsolePage): View {
  let overview: Overview | undefined;
  let charts: ChartData | undefined;
  let range: Range = 'minutes';
  let looks = 0;

  const { element, draw } = createViewElement(
    'Overview',
    () =>
      overview && (
        <>
          <Reasons page={page} present={reasonsOf(overview)} now={overview.now} />
          <Tiles overview={overview} />
          <Charts range={range} charts={charts} onRange={chooseRange} />
          <Destinations overview={overview} />
        </>
      ),
  );

  async function readCharts(): Promise<void> {
    const answer = await call<ChartData>('charts', { range });
    if (answer.range === range) charts = answer;
    draw();
  }

  function chooseRange(chosen: Range): void {
    range = chosen;
    draw();
    void readCharts();
  }

  return {
    element,
    async update(next) {
      overview = next;
      draw();
      if (looks % LOOKS_PER_CHARTS === 0) await readCharts();
      looks += 1;
    },
  };
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly tone?: Tone;
  readonly href?: string;
}

function Tile({ name, value, note, tone, href }: TileProps) {
  const Box = href ? 'a' : 'div';
  return (
    <li>
      <Box class="card tile" href={href}>
        <span class="name">
          {tone && <Mark tone={tone} />}
          {name}
        </span>
        <b>{value}</b>
        <span class="dim">{note}</span>
      </Box>
    </li>
  );
}

function Tiles({ overview }: { readonly overview: Overview }) {
  const { now, countedAt, states, refused, oldestOpenAt, recordedInLastMinute, destinations, wentBackAt } = overview;
  const reasons = reasonsOf(overview);
  const stops = stopsIn(reasons);
  const needs = states.quarantined + refused + stops;
  // Without counts for each destination the page cannot see whether reports flow.
  const isFlowing = reasons.length === 0 && (destinations.length > 0 || oldestOpenAt === null);
  const todo = [
    stops > 0 && counted(stops, 'stop'),
    states.quarantined > 0 && `${counted(states.quarantined, 'report')} to decide`,
    refused > 0 && `${grouped(refused)} refused, waiting`,
  ];
  const idle = isFlowing ? 'nothing to decide' : 'nothing to decide, but reports wait';
  const age = now - countedAt > FRESH_MS ? `as of ${duration(now - countedAt)} ago` : '';
  return (
    <ul class="tiles">
      <Tile
        name="Needs a person"
        href="#/person"
        value={grouped(needs)}
        note={needs > 0 ? todo.filter(Boolean).join(', ') : idle}
        tone={needs > 0 ? 'bad' : isFlowing ? 'ok' : 'doubt'}
      />
      {wentBackAt !== null && (
        <Tile
          name="Database lost commits"
          href="#/decisions"
          value={duration(now - wentBackAt)}
          note="ago: follow the guide for a failover"
          tone="bad"
        />
      )}
      <Tile
        name="Waiting"
        value={grouped(states.waiting)}
        note={age || (states.blocked > 0 ? `and ${grouped(states.blocked)} blocked` : 'to be sent')}
      />
      <Tile name="In flight" value={grouped(states['in-flight'])} note={age || 'being sent now'} />
      <Tile
        name="Recorded"
        value={grouped(states.recorded)}
        note={`${grouped(recordedInLastMinute)} in the last minute`}
      />
      <Tile
        name="Oldest waiting"
        value={oldestOpenAt === null ? '–' : duration(now - oldestOpenAt)}
        note={oldestOpenAt === null ? 'nothing waits' : 'since it was enqueued'}
      />
    </ul>
  );
}

type Range = ChartData['range'];

const RANGES = {
  minutes: { words: 'Hour', since: '60 minutes ago', step: 'a minute' },
  hours: { words: 'Two days', since: '48 hours ago', step: 'an hour' },
  days: { words: 'Month', since: '30 days ago', step: 'a day' },
} as const;

interface ChartsProps {
  /** The chosen one. `charts` may still be those of the one before. */
  readonly range: Range;
  readonly charts: ChartData | undefined;
  readonly onRange: (range: Range) => void;
}

function Charts({ range, charts, onRange }: ChartsProps) {
  const behind = charts?.behind ?? 0;
  return (
    <section class="card" aria-label="Charts">
      <div class="bar">
        <h3>Recorded</h3>
        <div class="ranges" role="group" aria-label="Range of the charts">
          {(Object.keys(RANGES) as Range[]).map((name) => (
            <Button key={name} aria-pressed={name === range} onClick={() => onRange(name)} words={RANGES[name].words} />
          ))}
        </div>
      </div>
      <div class="plot">{charts && <Throughput {...charts} />}</div>
      <h3>Time to recorded</h3>
      <div class="plot">{charts && <TimeToRecorded {...charts} />}</div>
      <p class="dim">
        {behind > 0
          ? `${counted(behind, 'older receipt')} not counted yet.`
          : 'Green: half of the reports; amber: 95 of 100.'}
      </p>
    </section>
  );
}

function Throughput({ range, steps }: ChartData) {
  const { since, step } = RANGES[range];
  const most = Math.max(0, ...steps.map(({ recorded }) => recorded));
  const sum = steps.reduce((all, { recorded }) => all + recorded, 0);
  return (
    <StackedChart
      bars={steps.map(({ recorded, dismissed }) => ({ ok: recorded, repeat: dismissed }))}
      layers={['ok', 'repeat']}
      label={`${counted(sum, 'report')} recorded since ${since}; at most ${grouped(most)} in ${step}`}
      axis={[since, most > 0 ? `peak ${grouped(most)} in ${step}` : 'none', 'now']}
    />
  );
}

/** On a scale that doubles, so that both a second and a day are visible. */
const heightOf = (milliseconds: number | null): number =>
  milliseconds === null ? 0 : Math.log2(1 + milliseconds / 1_000);

function TimeToRecorded({ range, steps }: ChartData) {
  const { since } = RANGES[range];
  const slowest = Math.max(0, ...steps.map(({ p95Ms }) => p95Ms ?? 0));
  const words = slowest > 0 ? `95 of 100 within ${duration(slowest)} at worst` : 'none';
  return (
    <StackedChart
      bars={steps.map(({ medianMs, p95Ms }) => ({
        ok: heightOf(medianMs),
        doubt: Math.max(0, heightOf(p95Ms) - heightOf(medianMs)),
      }))}
      layers={['ok', 'doubt']}
      label={`Time from enqueued to recorded since ${since}: ${words}`}
      axis={[since, words, 'now']}
    />
  );
}

const COLUMNS = [
  ['To decide', 'quarantined'],
  ['Waiting', 'waiting'],
  ['Blocked', 'blocked'],
  ['In flight', 'in-flight'],
  ['Recorded', 'recorded'],
] as const;

/** A narrow screen shows a row as a card, with the name of the column in each cell. */
function Destinations({ overview: { destinations, receipts, isLogDamaged } }: { readonly overview: Overview }) {
  return (
    <Card title="Destinations">
      <table>
        <thead>
          <tr>
            <th scope="col">Account and environment</th>
            {COLUMNS.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {destinations.map(({ account, environment, gateway, states }) => (
            <tr key={`${account} ${environment}`}>
              <th scope="row">
                {placeWords({ account, environment })}
                <span class="dim gateway">{gateway}</span>
              </th>
              {COLUMNS.map(([name, state]) => (
                <td key={name} class={states[state] === 0 ? 'zero' : ''} data-name={name}>
                  {states[state] === null ? '–' : grouped(states[state])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">
        {receipts
          ? `The log of receipts has ${counted(receipts.count, 'entry', 'entries')}; its head is ${receipts.hash.slice(0, 12)}…`
          : `The log of receipts ${isLogDamaged ? 'is damaged' : 'is empty'}.`}
      </p>
    </Card>
  );
}
