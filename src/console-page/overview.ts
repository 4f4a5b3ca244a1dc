import { make } from '../kit/dom.js';
import { markOf, type Tone } from '../kit/mark.js';
import type { Charts } from '../outbox/console/charts.js';
import type { Overview } from '../outbox/console/overview.js';
import { createCharts, type Range } from './charts.js';
import { createReasons, reasonsOf, stopsIn } from './reasons.js';
import { call } from './server.js';
import { type Page, slot, type View, viewElement } from './view.js';
import { counted, duration, grouped, placeWords } from './words.js';

/** A number with its name; every tile keeps its place. */
interface Tile {
  readonly element: HTMLElement;
  show(value: string, note: string, tone?: Tone): void;
}

function createTile(name: string, href?: string): Tile {
  const value = make('b', {}, '–');
  const note = make('span', { class: 'note' });
  const mark = make('span', { class: 'tile-mark' });
  const inner = [make('span', { class: 'name' }, mark, name), value, note];
  const element = href ? make('a', { class: 'tile', href }, ...inner) : make('div', { class: 'tile' }, ...inner);
  let shown: Tone | undefined;
  return {
    element: make('li', {}, element),
    show(text, more, tone) {
      value.textContent = text;
      note.textContent = more;
      if (tone !== shown) mark.replaceChildren(...(tone ? [markOf(tone)] : []));
      shown = tone;
    },
  };
}

const FRESH_MS = 5_000;

export function createOverview(page: Page): View {
  const tiles = {
    person: createTile('Needs a person', '#/person'),
    waiting: createTile('Waiting'),
    flight: createTile('In flight'),
    recorded: createTile('Recorded'),
    oldest: createTile('Oldest waiting'),
  };
  const charts = createCharts(() => void showCharts());
  const reasons = createReasons(page);
  const destinations = make('tbody');
  const showDestinations = slot(destinations);
  const head = make('p', { class: 'dim' });
  let range: Range = charts.range();

  async function showCharts(): Promise<void> {
    range = charts.range();
    if (!page.session.can.charts) return;
    charts.show(await call<Charts>('charts', { range }));
  }

  function show(overview: Overview): void {
    const { now, countedAt, states, oldestOpenAt, pace, destinations: places, receipts, isLogDamaged } = overview;
    const found = reasonsOf(overview);
    const stops = stopsIn(found);
    const age = now - countedAt > FRESH_MS ? `as of ${duration(now - countedAt)} ago` : '';
    const needs = states.quarantined + stops;
    // Without counts for each destination the page cannot see whether reports flow.
    const isFlowing = found.length === 0 && (places.length > 0 || oldestOpenAt === null);
    const todo = [stops > 0 && counted(stops, 'stop'), states.quarantined > 0 && `${counted(states.quarantined, 'report')} to decide`];
    tiles.person.show(
      grouped(needs),
      needs > 0 ? todo.filter(Boolean).join(', ') : isFlowing ? 'nothing to decide' : 'nothing to decide, but reports wait',
      needs > 0 ? 'bad' : isFlowing ? 'ok' : 'doubt',
    );
    tiles.waiting.show(grouped(states.waiting), age || (states.blocked > 0 ? `and ${grouped(states.blocked)} blocked` : 'to be sent'));
    tiles.flight.show(grouped(states['in-flight']), age || 'being sent now');
    tiles.recorded.show(
      grouped(states.recorded),
      pace ? `${grouped(pace.lastMinute)} in the last minute` : states.dismissed > 0 ? `and ${grouped(states.dismissed)} dismissed` : '',
    );
    tiles.oldest.show(oldestOpenAt === null ? '–' : duration(now - oldestOpenAt), oldestOpenAt === null ? 'nothing waits' : 'since it was enqueued');
    reasons.show(found, now);
    showDestinations(places, () => places.map(rowOf));
    head.textContent = receipts
      ? `The log of receipts has ${counted(receipts.count, 'entry', 'entries')}; its head is ${receipts.hash.slice(0, 12)}…`
      : `The log of receipts ${isLogDamaged ? 'is damaged' : 'is empty'}.`;
  }

  const table = make(
    'table',
    {},
    make('thead', {}, make('tr', {}, ...['Account and environment', ...COLUMNS.map(([name]) => name)].map((name) => make('th', { scope: 'col' }, name)))),
    destinations,
  );
  const element = viewElement(
    'Overview',
    reasons.element,
    make('ul', { class: 'tiles' }, ...Object.values(tiles).map((tile) => tile.element)),
    page.session.can.charts && charts.element,
    make('section', { class: 'card', 'aria-label': 'Destinations' }, make('h3', {}, 'Destinations'), table, head),
  );

  let looks = 0;
  return {
    title: 'Overview',
    element,
    async update(overview) {
      show(overview);
      // The charts move by the minute.
      if (looks % 5 === 0 || range !== charts.range()) await showCharts();
      looks += 1;
    },
  };
}

const COLUMNS = [
  ['Needs a person', 'quarantined'],
  ['Waiting', 'waiting'],
  ['Blocked', 'blocked'],
  ['In flight', 'in-flight'],
  ['Recorded', 'recorded'],
] as const;

/** A row of the table. A narrow screen shows it as a card, with the name of the column in each cell. */
function rowOf({ account, environment, gateway, states }: Overview['destinations'][number]): HTMLElement {
  const cells = COLUMNS.map(([name, state]) => {
    const value = states[state];
    return make('td', { class: value === 0 ? 'zero' : '', 'data-name': name }, value === null ? '–' : grouped(value));
  });
  return make('tr', {}, make('th', { scope: 'row' }, placeWords({ account, environment }), make('span', { class: 'dim gateway' }, gateway)), ...cells);
}
