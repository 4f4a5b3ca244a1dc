import { make } from '../kit/dom.js';
import { emptyState } from '../kit/empty.js';
import { createList, type Item } from '../kit/list.js';
import { markOf } from '../kit/mark.js';
import type { Groups, ProblemGroup } from '../outbox/console/data.js';
import type { GroupKey } from '../outbox/console/decisions.js';
import { createDecisions } from './decisions.js';
import { createReasons, reasonsOf } from './reasons.js';
import { call } from './server.js';
import { type Page, type View, viewElement } from './view.js';
import { counted, grouped, placeWords, timeWords } from './words.js';

export const keyOf = ({ account, environment, code, words }: GroupKey): string => JSON.stringify([account, environment, code, words]);

/** The address of a group's view. */
export const groupHash = (key: string): string => `#/person/${encodeURIComponent(key)}`;

/** The group that a hash names; undefined where it names none. */
export function groupFrom(text: string): GroupKey | undefined {
  try {
    const [account, environment, code, words] = JSON.parse(text) as string[];
    const isPlace = environment === 'staging' || environment === 'production' || environment === 'relay';
    return account !== undefined && isPlace && code !== undefined && words !== undefined ? { account, environment, code, words } : undefined;
  } catch {
    return undefined;
  }
}

/** Quarantined reports, by what went wrong. Groups keep their order until the person asks for the new ones. */
export function createPerson(page: Page): View {
  const place = make('ul', { class: 'list groups' });
  const list = createList(place, (key) => page.go(groupHash(key)));
  const more = make('button', { type: 'button', class: 'quiet', hidden: true, click: () => showNew() });
  const state = make('span', { class: 'dim' });
  const reasons = createReasons(page);
  const none = emptyState(
    'No report needs a decision',
    make('p', {}, 'A report comes here when the gateway refuses it in a way that only a person can decide.'),
  );
  const others = make('p', { class: 'more', hidden: true });
  const decisions = createDecisions(page);
  const shown = new Map<string, ProblemGroup>();
  let latest: Groups | undefined;

  function itemOf(key: string, group: ProblemGroup, now: number): Item {
    return { key, version: `${group.count} ${group.lastAt}`, content: () => groupContent(group, now) };
  }

  function show({ groups, now, others: beyond }: Groups): void {
    const isFirst = latest === undefined;
    latest = { groups, now, others: beyond };
    const fresh = groups.filter((group) => !shown.has(keyOf(group)));
    if (isFirst || shown.size === 0) for (const group of fresh.splice(0)) shown.set(keyOf(group), group);
    const present = new Map(groups.map((group) => [keyOf(group), group]));
    // A group that is decided keeps its place, and says so.
    for (const [key, group] of shown) shown.set(key, present.get(key) ?? { ...group, count: 0 });
    more.hidden = fresh.length === 0;
    more.textContent = `${fresh.length} new: show`;
    list.show(
      [...shown].map(([key, group]) => itemOf(key, group, now)),
      undefined,
    );
    none.hidden = shown.size > 0;
    const sum = groups.reduce((all, { count }) => all + count, 0) + beyond.reports;
    state.textContent = sum === 0 ? '' : `${counted(sum, 'report')} in ${counted(groups.length + beyond.groups, 'group')}`;
    others.hidden = beyond.groups === 0;
    others.textContent = `And ${counted(beyond.reports, 'report')} in ${counted(beyond.groups, 'smaller group')}: decide the larger ones first.`;
  }

  function showNew(): void {
    if (!latest) return;
    shown.clear();
    show(latest);
    list.focus(undefined);
  }

  return {
    title: 'Needs a person',
    element: viewElement(
      'Needs a person',
      reasons.element,
      make('div', { class: 'fresh' }, state, more),
      make('div', { class: 'card' }, none, place, others),
      page.session.can.decide && decisions.element,
    ),
    async update(overview) {
      const isFirst = latest === undefined;
      // The overview alone shows what ends by itself.
      const stops = reasonsOf(overview).filter(({ tone }) => tone === 'bad');
      reasons.show(stops, overview.now);
      show(await call<Groups>('groups'));
      if (isFirst && page.session.can.decide) await decisions.load();
    },
    walk: (by) => void list.walk(by),
    decided: () => void decisions.load(),
  };
}

function groupContent({ code, words, status, count, firstAt, lastAt, example, ...where }: ProblemGroup, now: number): HTMLElement[] {
  const mark = make('span', { class: 'lead' });
  mark.append(markOf(count === 0 ? 'ok' : 'bad'));
  const [first, last] = [timeWords(firstAt, now), timeWords(lastAt, now)];
  return [
    mark,
    make('span', { class: 'title' }, words || code),
    make('b', { class: 'many' }, count === 0 ? 'none left' : grouped(count)),
    make(
      'span',
      { class: 'sub' },
      make('span', { class: 'bad' }, status === null ? code : `${code}, HTTP ${status}`),
      make('span', {}, first === last ? first : `${first} to ${last}`),
      make('span', {}, `such as ${example.reference}`),
      make('span', { class: 'tag' }, placeWords(where)),
    ),
  ];
}
