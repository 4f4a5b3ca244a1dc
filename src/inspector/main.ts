import { openDialog } from '../kit/dialog.js';
import { byId, make } from '../kit/dom.js';
import { createAnnouncer, later } from '../kit/pace.js';
import { showChart } from './chart.js';
import { createDetail } from './detail.js';
import { fillEmpty } from './empty.js';
import { createFaultPanel } from './faults.js';
import { listenToKeys } from './keys.js';
import { createStoryList } from './list.js';
import { server } from './server.js';
import { createStore, type Entry } from './store.js';
import { listen } from './stream.js';
import { count } from './words.js';

const MOST_WAITING = 1_000;

const store = createStore();
const announce = createAnnouncer(byId('announce'));
const search = byId<HTMLInputElement>('search');
const environment = byId<HTMLSelectElement>('environment');
const pause = byId('pause');
const reveal = byId('reveal');

let selected: string | undefined;
/** The scroll position of the list when a report was chosen. */
let place = 0;
let revealing = false;
let paused = false;
let live = false;
/** The entries that arrived while the page was paused. */
let waiting: (Entry | 'reset')[] = [];

const list = createStoryList((key) => choose(key, true));
const detail = createDetail(() => choose(undefined), announce);
const showFaults = createFaultPanel(announce);
const isWide = matchMedia('(min-width: 900px)');

function choose(key: string | undefined, open = false): void {
  // On a phone the detail replaces the list.
  const before = selected;
  if (before === undefined) place = scrollY;
  selected = key;
  show();
  if (!isWide.matches) scrollTo(0, key === undefined ? place : 0);
  if (key === undefined) list.focus(before);
  else if (open && !isWide.matches) detail.focus();
}

function show(): void {
  const stories = store.stories(environment.value, search.value);
  const isFiltered = environment.value !== '' || search.value.trim() !== '';
  list.show(stories, selected);
  detail.show(store.story(selected), revealing);
  byId('empty').hidden = stories.length > 0 || isFiltered;
  document.body.classList.toggle('is-empty', stories.length === 0 && !isFiltered);
  byId('unmatched').hidden = stories.length > 0 || !isFiltered;
  showPause();
}

const showTraffic = () =>
  showChart(
    store.entries().filter((one) => !environment.value || one.environment === environment.value),
    Date.now(),
  );

function showPause(): void {
  pause.setAttribute('aria-pressed', String(paused));
  const entries = waiting.filter((one) => one !== 'reset').length;
  pause.textContent = paused ? `Resume${entries ? ` (${entries} new)` : ''}` : 'Pause';
}

const draw = later(100, () => {
  show();
  if (!paused) showTraffic();
});
const refreshFaults = later(300, () => void showFaults().catch(() => undefined));
const refreshHeld = later(300, async () => {
  const [staging, production] = await Promise.all([server.held('staging'), server.held('production')]);
  store.addHeld([...staging, ...production]);
  draw();
});

function take(news: Entry | 'reset'): void {
  if (news === 'reset') store.clear();
  else store.add(news);
  if (news === 'reset') refreshHeld();
  else announce.later((many) => `${count(many, 'new request')}`);
}

function hear(news: Entry | 'reset'): void {
  refreshFaults();
  if (!paused) take(news);
  else if (news === 'reset') waiting = ['reset'];
  else if (waiting.push(news) > MOST_WAITING) waiting.splice(waiting[0] === 'reset' ? 1 : 0, 1);
  draw();
}

pause.addEventListener('click', () => {
  paused = !paused;
  if (!paused) waiting.splice(0).forEach(take);
  draw();
});
reveal.addEventListener('click', () => {
  revealing = !revealing;
  // The text says what the button does next, so the button has no pressed state.
  reveal.textContent = revealing ? 'Hide personal data' : 'Show personal data';
  reveal.classList.toggle('revealing', revealing);
  show();
});
search.addEventListener('input', show);
environment.addEventListener('change', draw);
byId('clear').addEventListener('click', () => {
  const keep = make('button', { type: 'button', autofocus: true, click: () => asked.close() }, 'Keep');
  const yes = make('button', { type: 'button', class: 'danger', click: clearAll }, 'Clear everything');
  const text = 'The mock gateway forgets all reports, requests and faults of both environments, and ends pending requests. This cannot be undone.';
  const asked = openDialog('Clear everything?', text, () => {}, make('div', { class: 'row' }, keep, yes));
  function clearAll(): void {
    asked.close();
    void server.reset();
    announce('Cleared');
  }
});

listenToKeys({
  walk(by) {
    const key = list.walk(by);
    if (key !== undefined && isWide.matches) choose(key);
  },
  search: () => search.select(),
  back() {
    if (document.activeElement === search && search.value) search.value = '';
    choose(undefined);
  },
});

fillEmpty();
const faults = byId<HTMLDetailsElement>('faults');
if (!isWide.matches) faults.open = false;
// On a phone the list comes first, and may be long.
byId('jump').addEventListener('click', () => {
  choose(undefined);
  faults.open = true;
  faults.scrollIntoView();
  faults.querySelector('summary')?.focus({ preventScroll: true });
});
show();
showTraffic();
setInterval(showTraffic, 5_000);
addEventListener('focus', refreshFaults);

void listen(server.events, {
  request: (entry) => hear(entry as Entry),
  reset: () => hear('reset'),
  state(state) {
    live = state === 'live';
    const link = byId('link');
    link.dataset.state = state;
    link.textContent = live ? location.host : state === 'reconnecting' ? 'reconnecting…' : 'needs its token: open this page with #token=…';
    if (live) {
      refreshFaults();
      refreshHeld();
    }
    draw();
  },
});
