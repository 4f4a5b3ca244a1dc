import { make } from '../kit/dom.js';
import { markOf, type Tone } from '../kit/mark.js';
import type { Charts } from '../outbox/console/charts.js';
import type { Overview } from '../outbox/console/overview.js';
import { createCharts, type Range } from './charts.js';
import { createPauses } from './pauses.js';
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
  const pauses = createPauses(page);
  const destinations = make('tbody');
  const showDestinations = slot(destinations);
  const warnings = make('div', { class: 'warnings' });
  const showWarnings = slot(warnings);
  const head = make('p', { class: 'dim' });
  let range: Range = charts.range();

  async function showCharts(): Promise<void> {
    range = charts.range();
    if (!page.session.can.charts) return;
    charts.show(await call<Charts>('charts', { range }));
  }

  function show({ now, countedAt, states, oldestOpenAt, pace, destinations: places, pauses: paused, missingKeys, receipts }: Overview): void {
    const age = now - countedAt > FRESH_MS ? `as of ${duration(now - countedAt)} ago` : '';
    const needs = states.quarantined;
    tiles.person.show(grouped(needs), needs > 0 ? 'look at them' : 'nothing to decide', needs > 0 ? 'bad' : 'ok');
    tiles.waiting.show(grouped(states.waiting), age || (states.blocked > 0 ? `and ${grouped(states.blocked)} blocked` : 'to be sent'));
    tiles.flight.show(grouped(states['in-flight']), age || 'being sent now');
    tiles.recorded.show(
      grouped(states.recorded),
      pace ? `${grouped(pace.lastMinute)} in the last minute` : states.dismissed > 0 ? `and ${grouped(states.dismissed)} dismissed` : '',
    );
    tiles.oldest.show(oldestOpenAt === null ? '–' : duration(now - oldestOpenAt), oldestOpenAt === null ? 'nothing waits' : 'since it was enqueued');
    pauses.show(paused, now);
    showWarnings(missingKeys, () =>
      missingKeys.map((key) =>
        make('p', { class: 'warning' }, markOf('doubt'), `The encryption key ${key} is missing: reports wait for it. Give it to the outbox.`),
      ),
    );
    showDestinations(places, () => places.map(rowOf));
    head.textContent = receipts
      ? `The log of receipts has ${counted(receipts.count, 'entry', 'entries')}; its head is ${receipts.hash.slice(0, 12)}…`
      : 'The log of receipts is empty.';
  }

  const table = make(
    'table',
    {},
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        ...['Account and environment', 'Waiting', 'Blocked', 'In flight', 'Needs a person', 'Recorded'].map((name) => make('th', { scope: 'col' }, name)),
      ),
    ),
    destinations,
  );
  const element = viewElement(
    'Overview',
    make('ul', { class: 'tiles' }, ...Object.values(tiles).map((tile) => tile.element)),
    page.session.can.charts && charts.element,
    pauses.element,
    warnings,
    make(
      'section',
      { class: 'card', 'aria-label': 'Destinations' },
      make('h3', {}, 'Destinations'),
      make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Counts for each destination' }, table),
      head,
    ),
  );

  let looks = 0;
  return {
    title: 'Overview',
    element,
    async update() {
      show(await call<Overview>('overview'));
      // The charts move by the minute.
      if (looks % 5 === 0 || range !== charts.range()) await showCharts();
      looks += 1;
    },
  };
}

function rowOf({ account, environment, gateway, states, oldestOpenAt: _ }: Overview['destinations'][number]): HTMLElement {
  const number = (value: number | null) => make('td', { class: value === 0 ? 'zero' : '' }, value === null ? '–' : grouped(value));
  return make(
    'tr',
    {},
    make('th', { scope: 'row' }, placeWords({ account, environment }), make('span', { class: 'dim gateway' }, gateway)),
    number(states.waiting),
    number(states.blocked),
    number(states['in-flight']),
    number(states.quarantined),
    number(states.recorded),
  );
}
