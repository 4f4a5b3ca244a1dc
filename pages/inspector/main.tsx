import { render } from 'preact';
import type { SetFault } from '../../src/testing/mock/faults.js';
import { ButtonList, focusRow, walkThrough } from '../kit/list.js';
import { announce, createCountAnnouncer, later, listenToKeys } from '../kit/page.js';
import { Button, Dialog } from '../kit/parts.js';
import { counted, grouped } from '../kit/words.js';
import { adminApi, listen } from './admin-api.js';
import { Faults, Instructions, Traffic } from './panels.js';
import { createStore, type Entry } from './store.js';
import { Detail, storyItem } from './story.js';

const MOST_SHOWN = 200;
const MOST_WAITING = 1_000;
const LINKS = {
  connecting: 'connecting…',
  live: location.host,
  reconnecting: 'reconnecting…',
  refused: 'needs its token: open this page with #token=…',
};

const store = createStore();
const isWide = matchMedia('(min-width: 900px)');
const opensFaults = isWide.matches;
const announceRequest = createCountAnnouncer((many) => counted(many, 'new request'));

let link: keyof typeof LINKS = 'connecting';
let words = '';
let environment = '';
let selected: string | undefined;
/** The scroll position of the list when a report was chosen. */
let listScroll = 0;
let isRevealing = false;
let isPaused = false;
let isClearing = false;
/** Arrived while the page was paused. */
let waiting: (Entry | 'reset')[] = [];
let faults: readonly SetFault[] = [];
/** It stands still while the page is paused. */
let now = Date.now();

const list = () => document.querySelector('#list');
const searchField = () => document.querySelector<HTMLInputElement>('#search');

function draw(): void {
  const stories = store.stories(environment, words);
  const story = store.story(selected);
  const isFiltered = environment !== '' || words.trim() !== '';
  const isEmpty = stories.length === 0;
  document.body.classList.toggle('has-detail', story !== undefined);
  document.body.classList.toggle('is-empty', isEmpty && !isFiltered);
  render(
    <>
      <header>
        <div class="brand">
          <h1>Mock gateway</h1>
          <p class="link" id="link" data-state={link}>
            {LINKS[link]}
          </p>
        </div>
        <Tools />
      </header>
      <main>
        <section class="card reports" aria-labelledby="reports-title">
          <h2 id="reports-title" class="hidden">
            Reports
          </h2>
          <Filter />
          <div id="empty" hidden={!isEmpty || isFiltered}>
            <Instructions />
          </div>
          <p id="unmatched" class="more" hidden={!isEmpty || !isFiltered}>
            Nothing matches.
          </p>
          <ButtonList
            id="list"
            items={stories.slice(0, MOST_SHOWN).map(storyItem)}
            selected={selected}
            onSelect={(key) => choose(key, true)}
          />
          <p id="more" class="more" hidden={stories.length <= MOST_SHOWN}>
            {`The latest ${MOST_SHOWN} of ${grouped(stories.length)}. Search for the others.`}
          </p>
        </section>
        <Detail story={story} isRevealing={isRevealing} onBack={() => choose(undefined)} />
        <section class="card faults" aria-labelledby="faults-title">
          <details id="faults" open={opensFaults}>
            <summary>
              <h2 id="faults-title">Simulate faults</h2>
            </summary>
            <Faults faults={faults} refresh={readFaults} />
          </details>
        </section>
        <Traffic entries={store.entries(environment)} now={now} />
      </main>
      <footer class="keys">
        <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>/</kbd> search <kbd>Esc</kbd> back
      </footer>
      <p class="hidden" role="status" id="announce" />
      {isClearing && <ClearDialog />}
    </>,
    document.body,
  );
}

function Tools() {
  const fresh = waiting.filter((one) => one !== 'reset').length;
  return (
    <div class="tools">
      <Button id="jump" onClick={jumpToFaults} words="Simulate faults" />
      {/* Its text says what it does next, so it has no pressed state. */}
      <Button
        id="reveal"
        class={isRevealing ? 'revealing' : ''}
        onClick={toggleReveal}
        words={isRevealing ? 'Hide personal data' : 'Show personal data'}
      />
      <Button
        id="pause"
        aria-pressed={isPaused}
        onClick={togglePause}
        words={isPaused ? `Resume${fresh ? ` (${fresh} new)` : ''}` : 'Pause'}
      />
      <Button id="clear" onClick={() => askToClear(true)} words="Clear…" />
    </div>
  );
}

const Filter = () => (
  <div class="filter">
    <label class="hidden" for="search">
      Search
    </label>
    <input
      type="search"
      id="search"
      placeholder="Search"
      autocomplete="off"
      spellcheck={false}
      maxLength={200}
      value={words}
      onInput={({ currentTarget }) => filter(currentTarget.value, environment)}
    />
    <label class="hidden" for="environment">
      Environment
    </label>
    <select id="environment" value={environment} onChange={({ currentTarget }) => filter(words, currentTarget.value)}>
      <option value="">All</option>
      <option value="staging">Staging</option>
      <option value="production">Production</option>
    </select>
  </div>
);

const ClearDialog = () => (
  <Dialog
    title="Clear everything?"
    text="The mock gateway forgets all reports, requests and faults of both environments, and ends pending requests. This cannot be undone."
    onClosed={() => askToClear(false)}
  >
    {(close) => (
      <div class="row">
        <Button onClick={close} words="Keep" />
        <Button
          class="danger"
          onClick={() => {
            close();
            void adminApi.reset();
            announce('Cleared');
          }}
          words="Clear everything"
        />
      </div>
    )}
  </Dialog>
);

function drawAll(): void {
  if (!isPaused) now = Date.now();
  draw();
}

const drawSoon = later(100, drawAll);

function filter(newWords: string, newEnvironment: string): void {
  [words, environment] = [newWords, newEnvironment];
  drawAll();
}

function choose(key: string | undefined, opens = false): void {
  // On a phone the detail replaces the list.
  const before = selected;
  if (before === undefined) listScroll = scrollY;
  selected = key;
  draw();
  if (!isWide.matches) scrollTo(0, key === undefined ? listScroll : 0);
  if (key === undefined) focusRow(list(), before);
  else if (opens && !isWide.matches) document.querySelector<HTMLElement>('#detail')?.focus({ preventScroll: true });
}

/** On a phone the list comes first, and may be long. */
function jumpToFaults(): void {
  choose(undefined);
  const panel = document.querySelector<HTMLDetailsElement>('#faults');
  if (!panel) return;
  panel.open = true;
  panel.scrollIntoView();
  panel.querySelector('summary')?.focus({ preventScroll: true });
}

function toggleReveal(): void {
  isRevealing = !isRevealing;
  draw();
}

function togglePause(): void {
  isPaused = !isPaused;
  if (!isPaused) waiting.splice(0).forEach(take);
  drawSoon();
}

function askToClear(isAsked: boolean): void {
  isClearing = isAsked;
  draw();
}

async function readFaults(): Promise<void> {
  faults = await adminApi.faults();
  draw();
}

const refreshFaults = later(300, readFaults);
const refreshHeld = later(300, async () => {
  const [staging, production] = await Promise.all([adminApi.held('staging'), adminApi.held('production')]);
  store.addHeld([...staging, ...production]);
  drawSoon();
});

function take(news: Entry | 'reset'): void {
  if (news === 'reset') {
    store.clear();
    refreshHeld();
  } else {
    store.add(news);
    announceRequest();
  }
}

function hear(news: Entry | 'reset'): void {
  refreshFaults();
  if (!isPaused) take(news);
  else if (news === 'reset') waiting = ['reset'];
  else if (waiting.push(news) > MOST_WAITING) waiting.splice(waiting[0] === 'reset' ? 1 : 0, 1);
  drawSoon();
}

listenToKeys(({ key, target, isWriting, isInList }) => {
  const walk = (by: number) => () => {
    const reached = walkThrough(list(), by);
    if (reached !== undefined && isWide.matches) choose(reached);
  };
  if (key === 'Escape')
    return () => {
      if (target === searchField()) words = '';
      choose(undefined);
    };
  if (isWriting) return key === 'ArrowDown' && target === searchField() ? walk(0) : undefined;
  if (key === '/') return () => searchField()?.select();
  if (key === 'j' || (isInList && key === 'ArrowDown')) return walk(1);
  if (key === 'k' || (isInList && key === 'ArrowUp')) return walk(-1);
  if (isInList && key === 'Home') return walk(-Infinity);
  if (isInList && key === 'End') return walk(Infinity);
  return undefined;
});

draw();
setInterval(drawAll, 5_000);
addEventListener('focus', refreshFaults);

void listen({
  request: hear,
  reset: () => hear('reset'),
  state(state) {
    if (state === link) return;
    link = state;
    drawSoon();
  },
});
