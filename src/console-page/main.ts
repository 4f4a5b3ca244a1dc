import { byId, make } from '../kit/dom.js';
import { createAnnouncer } from '../kit/pace.js';
import type { Overview } from '../outbox/console/overview.js';
import { listenToKeys } from './keys.js';
import { showNotice } from './notice.js';
import { needsOf } from './reasons.js';
import { tabOf, viewOf } from './route.js';
import { CallError, call, isLost, openSession } from './server.js';
import { errorState, type Page, type View } from './view.js';
import { grouped } from './words.js';

const LOOK_MS = 2_000;
/** While the page is in the background, or the server cannot be reached. */
const SELDOM_MS = 10_000;
/** The number of views that the way back finds as they were. */
const MOST_LEFT = 20;
/** The controls that are disabled while the connection is lost. A field for text stays, so that no typed letter becomes a shortcut. */
const LIVE = 'main button:enabled:not(.again), main [type=checkbox]:enabled, .notice button:enabled, dialog [type=submit]:enabled';

const announce = createAnnouncer(byId('announce'));
const main = byId('main');
const lost = byId('lost');
let page: Page | undefined;
let view: View | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastSeen = Date.now();
const blocked: { readonly controls: readonly (HTMLButtonElement | HTMLInputElement)[]; readonly focused: Element | null }[] = [];

/** A view as it was left. */
interface Left {
  readonly hash: string;
  readonly view: View;
  readonly scrolled: number;
  readonly focused: Element | null;
  readonly decisions: number;
}
/** The views that were left, by their place in the history of the browser. */
const left = new Map<number, Left>();
let place = 0;
let opened: string | undefined;
let decisions = 0;

function showLink(state: 'connecting' | 'live' | 'lost', words: string): void {
  const link = byId('link');
  if (link.dataset.state !== state && state !== 'connecting') announce(words);
  link.dataset.state = state;
  if (link.textContent !== words) link.textContent = words;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** While the connection is lost, the page says so above everything else, and no button can be pressed. */
function showLost(isLostNow: boolean): void {
  if (isLostNow) {
    byId('lost-words').textContent =
      `Connection lost. You see the state of ${clock.format(lastSeen)}. Buttons work again once the page has reached the server.`;
    const controls = [...document.querySelectorAll<HTMLButtonElement | HTMLInputElement>(LIVE)];
    const focused = document.activeElement;
    for (const control of controls) control.disabled = true;
    blocked.push({ controls, focused });
  } else {
    for (const { controls, focused } of blocked.splice(0)) {
      for (const control of controls) control.disabled = false;
      if (document.activeElement === document.body && focused instanceof HTMLElement && focused.isConnected) focused.focus();
    }
  }
  lost.hidden = !isLostNow;
}

/** Looks again and again: at the outbox, and at what the present view shows. */
async function look(): Promise<void> {
  clearTimeout(timer);
  const shown = view;
  let isReached = true;
  try {
    const overview = await call<Overview>('overview');
    showLost(false);
    showPersonCount(needsOf(overview));
    await shown?.update(overview);
    lastSeen = Date.now();
    showLink('live', 'live');
    if (shown && shown === view) showView(shown);
  } catch (error) {
    isReached = !isLost(error);
    showLink('lost', isReached ? 'not up to date' : 'connection lost');
    // The old data stay, and the line above says that they are old.
    if (shown === view && (main.hasAttribute('aria-busy') || isReached)) showError(error);
    showLost(!isReached);
  }
  clearTimeout(timer);
  timer = setTimeout(() => void look(), document.hidden || !isReached ? SELDOM_MS : LOOK_MS);
}

/** Shows a view that has its data. The focus goes to its heading, unless it is somewhere else by now. */
function showView({ element }: View): void {
  const isNew = main.hasAttribute('aria-busy');
  main.removeAttribute('aria-busy');
  if (main.firstElementChild !== element) main.replaceChildren(element);
  if (isNew && document.activeElement === main) element.querySelector<HTMLElement>('.title')?.focus({ preventScroll: true });
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

/** Opens the view of the address. A place of the history that was open before gets its view back, as it was left. */
function openView(): void {
  if (!page) return;
  const known: unknown = history.state;
  const isFirst = opened === undefined;
  const next = typeof known === 'number' ? known : isFirst ? 0 : place + 1;
  view?.close?.();
  // A view without its data is opened anew.
  if (view && opened !== undefined && !main.hasAttribute('aria-busy'))
    left.set(place, { hash: opened, view, scrolled: scrollY, focused: document.activeElement, decisions });
  // A new way forward replaces the old one.
  if (known !== next) for (const old of left.keys()) if (old >= next || old < next - MOST_LEFT) left.delete(old);
  history.replaceState(next, '');
  [place, opened] = [next, location.hash];
  showTab();
  const back = left.get(place);
  if (back?.hash === opened) {
    view = back.view;
    if (back.decisions !== decisions) view.decided?.();
    main.removeAttribute('aria-busy');
    main.replaceChildren(view.element);
    scrollTo(0, back.scrolled);
    if (back.focused instanceof HTMLElement && main.contains(back.focused)) back.focused.focus({ preventScroll: true });
  } else {
    view = viewOf(opened, page);
    main.setAttribute('aria-busy', 'true');
    main.replaceChildren(view.isReady ? view.element : make('p', { class: 'loading' }, 'Loading…'));
    scrollTo(0, 0);
    // A removed row would leave the focus at the top of the page.
    if (!isFirst && document.activeElement === document.body) main.focus({ preventScroll: true });
  }
  void look();
}

function showTab(): void {
  const tab = tabOf(location.hash);
  for (const link of byId('tabs').querySelectorAll('a')) {
    if (link.getAttribute('href') === tab) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Goes to a view at once, so that the next key is already its own. */
function go(hash: string): void {
  location.hash = hash;
  if (opened !== location.hash) openView();
}

/** Back to the view that this one belongs to: as it was left, if it was the last one. */
function back(): void {
  const to = view?.back ?? '#/';
  if (to === 'history' ? place > 0 : left.get(place - 1)?.hash === to) history.back();
  else go(to === 'history' ? '#/' : to);
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
      go,
      refresh() {
        decisions += 1;
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

addEventListener('hashchange', () => {
  if (opened !== location.hash || history.state !== place) openView();
});
addEventListener('online', () => void look());
addEventListener('offline', () => void look());
document.addEventListener('visibilitychange', () => document.hidden || void look());
byId('lost-again').addEventListener('click', () => void look());
listenToKeys({
  walk: (by) => view?.walk?.(by),
  go,
  back,
  search() {
    go('#/search');
    const field = main.querySelector<HTMLInputElement>('input[type=search]');
    field?.focus();
    field?.select();
  },
});
void start();
