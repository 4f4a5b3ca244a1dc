import { byId, make } from '../kit/dom.js';
import { createAnnouncer } from '../kit/pace.js';
import type { Overview } from '../outbox/console/overview.js';
import { listenToKeys } from './keys.js';
import { showNotice } from './notice.js';
import { tabOf, viewOf } from './route.js';
import { CallError, call, isLost, openSession } from './server.js';
import { errorState, type Page, type View } from './view.js';
import { grouped } from './words.js';

const LOOK_MS = 2_000;
/** While the page is in the background, or the server cannot be reached. */
const SELDOM_MS = 10_000;

const announce = createAnnouncer(byId('announce'));
const main = byId('main');
let page: Page | undefined;
let view: View | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastSeen = Date.now();

function showLink(state: 'connecting' | 'live' | 'lost', words: string): void {
  const link = byId('link');
  if (link.dataset.state !== state && state !== 'connecting') announce(words);
  link.dataset.state = state;
  if (link.textContent !== words) link.textContent = words;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** Looks again and again: at what the present view shows, and at how many reports need a person. */
async function look(): Promise<void> {
  clearTimeout(timer);
  const shown = view;
  let isReached = true;
  try {
    await shown?.update();
    showPersonCount((await call<Overview>('overview')).states.quarantined);
    lastSeen = Date.now();
    main.removeAttribute('aria-busy');
    showLink('live', 'live');
    if (shown === view && main.firstElementChild !== shown?.element && shown) main.replaceChildren(shown.element);
  } catch (error) {
    isReached = !isLost(error);
    showLink('lost', isReached ? 'not up to date' : `connection lost; last seen ${clock.format(lastSeen)}, trying again`);
    // The old data stay, and the line above says that they are old.
    if (shown === view && (main.hasAttribute('aria-busy') || isReached)) showError(error);
  }
  clearTimeout(timer);
  timer = setTimeout(() => void look(), document.hidden || !isReached ? SELDOM_MS : LOOK_MS);
}

function showError(error: unknown): void {
  if (error instanceof CallError && error.code === 'session') showLink('lost', 'logged out');
  main.removeAttribute('aria-busy');
  main.replaceChildren(errorState(error, () => void (page ? look() : start())));
}

function showPersonCount(count: number): void {
  const badge = byId('person-count');
  badge.hidden = count === 0;
  badge.textContent = grouped(count);
  document.title = count === 0 ? 'Outbox' : `(${grouped(count)}) Outbox`;
}

function openView(): void {
  if (!page) return;
  view?.close?.();
  view = viewOf(location.hash, page);
  const tab = tabOf(location.hash);
  for (const link of byId('tabs').querySelectorAll('a')) {
    if (link.getAttribute('href') === tab) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  main.setAttribute('aria-busy', 'true');
  main.replaceChildren(make('p', { class: 'loading' }, 'Loading…'));
  scrollTo(0, 0);
  void look();
}

async function start(): Promise<void> {
  try {
    const session = await openSession();
    const { name, readOnly, mayAct } = session;
    byId('who').replaceChildren(name, ...(mayAct ? [] : [make('span', { class: 'tag' }, readOnly ? 'read only' : 'may look')]));
    page = {
      session,
      announce,
      notice: showNotice,
      go(hash) {
        location.hash = hash;
      },
      refresh() {
        view?.decided?.();
        void look();
      },
    };
    openView();
  } catch (error) {
    showLink('lost', isLost(error) ? 'no connection' : 'not connected');
    showError(error);
    if (isLost(error)) setTimeout(() => void start(), SELDOM_MS);
  }
}

addEventListener('hashchange', openView);
addEventListener('online', () => void look());
document.addEventListener('visibilitychange', () => document.hidden || void look());
listenToKeys({
  walk: (by) => view?.walk?.(by),
  go: (hash) => page?.go(hash),
  back() {
    if (view?.back === 'history') history.back();
    else page?.go(view?.back ?? '#/');
  },
  search() {
    if (location.hash !== '#/search') page?.go('#/search');
    else document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
  },
});
void start();
