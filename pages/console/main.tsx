import type { Overview } from '../../src/operator/overview.js';
import { walkThrough } from '../kit/list.js';
import { announce, listenToKeys } from '../kit/page.js';
import { CallError, call, isLost, openSession } from './calls.js';
import { createDecision, createDecisions } from './decisions.js';
import { createGroup } from './group.js';
import { createOverview } from './overview.js';
import { createPerson, groupFrom } from './problem-groups.js';
import { createProof } from './proof.js';
import { needsOf } from './reasons.js';
import { createReport } from './report.js';
import { createSearch } from './search.js';
import { drawShell, type Shown, TABS } from './shell.js';
import type { ConsolePage, View } from './view.js';

const LOOK_MS = 2_000;
/** While the page is in the background, or the server cannot be reached. */
const SELDOM_MS = 10_000;
/** Views are kept, so that the way back finds them as they were. */
const MOST_KEPT = 20;
/**
 * The controls that are disabled while the connection is lost. A field for text stays, so that no typed letter becomes
 * a shortcut.
 */
const LIVE =
  'main button:enabled:not(.again), main [type=checkbox]:enabled, .notice button:enabled, dialog [type=submit]:enabled';

let shown: Shown = { link: { state: 'connecting', words: 'connecting…' }, hash: '', needs: 0, isBusy: true };
let page: ConsolePage | undefined;
let view: View | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastSeen: number | undefined;

interface KeptView {
  readonly hash: string;
  readonly view: View;
  readonly scrolled: number;
  readonly focused: Element | null;
}
/** The views that were open before, by their place in the history of the browser. */
const keptViews = new Map<number, KeptView>();
let historyIndex = 0;
let opened: string | undefined;
/** The decisions made in this page, and how many there were when a view last read its data. */
let decisions = 0;
const decisionsAtRead = new WeakMap<View, number>();

function change(to: Partial<Shown>): void {
  shown = { ...shown, ...to };
  drawShell(shown, {
    again: () => void look(),
    close: (what) => change({ [what]: undefined }),
    decided(result) {
      // Reading a body changes no report, so the other views keep what they show.
      if (!result) return;
      change({ notice: { ...result, at: Date.now() } });
      decisions += 1;
      void look();
    },
  });
}

const mainPart = () => document.getElementById('main');

function showLink(state: 'live' | 'lost', words: string): void {
  if (shown.link.state !== state) announce(words);
  change({ link: { state, words } });
}

let disabled: (HTMLButtonElement | HTMLInputElement)[] = [];
let focusedBefore: Element | null = null;

/** While the connection is lost, the page says so above everything else, and no button can be pressed. */
function showLost(isLostNow: boolean): void {
  if (isLostNow) {
    if (disabled.length === 0) focusedBefore = document.activeElement;
    const controls = [...document.querySelectorAll<HTMLButtonElement | HTMLInputElement>(LIVE)];
    for (const control of controls) control.disabled = true;
    disabled.push(...controls);
  } else if (disabled.length > 0) {
    for (const control of disabled) control.disabled = false;
    disabled = [];
    if (document.activeElement === document.body && focusedBefore instanceof HTMLElement) focusedBefore.focus();
  }
  change({ lostSince: isLostNow ? lastSeen : undefined });
}

/** Now and every few seconds. The first time, it opens the page. */
async function look(): Promise<void> {
  clearTimeout(timer);
  const looking = view;
  let isReached = true;
  try {
    if (!page) {
      const session = await openSession();
      change({ session });
      page = { session, go, ask: (asked) => change({ asked }) };
      return openView();
    }
    const overview = await call<Overview>('overview');
    showLost(false);
    change({ needs: needsOf(overview) });
    if (looking) {
      const known = decisions;
      await looking.update(overview, decisionsAtRead.get(looking) !== known);
      decisionsAtRead.set(looking, known);
    }
    lastSeen = Date.now();
    showLink('live', 'live');
    if (looking && looking === view) showView(looking);
  } catch (error) {
    isReached = !isLost(error);
    showLink('lost', isReached ? 'not up to date' : 'connection lost');
    // The view keeps showing its old data, below a line that says so.
    if (looking === view && (shown.isBusy || isReached)) showError(error);
    showLost(!isReached);
  }
  clearTimeout(timer);
  timer = setTimeout(() => void look(), document.hidden || !isReached ? SELDOM_MS : LOOK_MS);
}

/** Shows a view that has its data. A person who waited for it gets the focus on its heading. */
function showView({ element }: View): void {
  const isNew = shown.isBusy;
  change({ view: element, isBusy: false, error: undefined });
  if (isNew && document.activeElement === mainPart())
    element.querySelector<HTMLElement>('.title')?.focus({ preventScroll: true });
}

function showError(error: unknown): void {
  if (error instanceof CallError && error.code === 'session') showLink('lost', 'logged out');
  change({ error, isBusy: false });
}

/** The view that an address names, behind the `#`, which no browser sends. */
function viewOf(hash: string, of: ConsolePage): View {
  const [, name = '', rest = ''] = /^#\/([a-z]*)\/?(.*)$/.exec(hash) ?? [];
  const text = decoded(rest);
  const group = name === 'person' && text !== '' ? groupFrom(text) : undefined;
  if (group) return createGroup(of, group);
  if (name === 'person') return createPerson(of);
  if (name === 'search') return createSearch(of);
  if (name === 'report' && text !== '') return createReport(of, text);
  if (name === 'decisions') return text === '' ? createDecisions(of) : createDecision(of, text);
  if (name === 'proof') return createProof(of);
  return createOverview(of);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** A place of the history that was open before gets its view back, as it was left. */
function openView(): void {
  if (!page) return;
  const known: unknown = history.state;
  const isFirst = opened === undefined;
  const next = typeof known === 'number' ? known : isFirst ? 0 : historyIndex + 1;
  view?.close?.();
  // A view that still waited for its data is not kept.
  if (view && opened !== undefined && !shown.isBusy)
    keptViews.set(historyIndex, { hash: opened, view, scrolled: scrollY, focused: document.activeElement });
  // The browser forgets the places after this one, too.
  if (known !== next)
    for (const old of keptViews.keys()) if (old >= next || old < next - MOST_KEPT) keptViews.delete(old);
  history.replaceState(next, '');
  [historyIndex, opened] = [next, location.hash];
  const back = keptViews.get(historyIndex);
  if (back?.hash === opened) {
    view = back.view;
    change({ hash: opened, view: view.element, isBusy: false, error: undefined });
    scrollTo(0, back.scrolled);
    if (back.focused instanceof HTMLElement && view.element.contains(back.focused))
      back.focused.focus({ preventScroll: true });
  } else {
    view = viewOf(opened, page);
    change({ hash: opened, view: view.isReady ? view.element : undefined, isBusy: true, error: undefined });
    scrollTo(0, 0);
    // The focus was on a row that is gone now.
    if (!isFirst && document.activeElement === document.body) mainPart()?.focus({ preventScroll: true });
  }
  void look();
}

/** Opens a view at once, without waiting for `hashchange`, so that the next key already acts on it. */
function go(hash: string): void {
  location.hash = hash;
  if (opened !== location.hash) openView();
}

/** Opens the view that this one belongs to: with the browser's way back, if it was open just before. */
function back(): void {
  const to = view?.back ?? '#/';
  if (to === 'history' ? historyIndex > 0 : keptViews.get(historyIndex - 1)?.hash === to) history.back();
  else go(to === 'history' ? '#/' : to);
}

function walk(by: number): void {
  walkThrough(document.querySelector('main :is(.list, .decisions)'), by);
}

function search(): void {
  go('#/search');
  const field = mainPart()?.querySelector<HTMLInputElement>('input[type=search]');
  field?.focus();
  field?.select();
}

addEventListener('hashchange', () => {
  if (opened !== location.hash || history.state !== historyIndex) openView();
});
addEventListener('online', () => void look());
addEventListener('offline', () => void look());
document.addEventListener('visibilitychange', () => document.hidden || void look());
listenToKeys(({ key, target, isWriting, isInList }) => {
  if (key === 'Escape') return isWriting ? () => target.blur() : back;
  if (isWriting) return undefined;
  const [tab] = TABS[Number(key) - 1] ?? [];
  if (tab) return () => go(tab);
  if (key === '/') return search;
  if (key === 'j' || (isInList && key === 'ArrowDown')) return () => walk(1);
  if (key === 'k' || (isInList && key === 'ArrowUp')) return () => walk(-1);
  return undefined;
});
change({});
void look();
