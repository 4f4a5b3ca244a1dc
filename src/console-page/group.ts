import { make } from '../kit/dom.js';
import { emptyState } from '../kit/empty.js';
import { factsList } from '../kit/facts.js';
import type { Groups, SearchPage } from '../outbox/console/data.js';
import type { DecideRequest, GroupKey } from '../outbox/console/decisions.js';
import type { ReportSummary } from '../outbox/console/report-life.js';
import { decide } from './decide.js';
import { keyOf } from './person.js';
import { reportContent, reportHash } from './report-row.js';
import { call } from './server.js';
import { type Page, slot, type View, viewElement } from './view.js';
import { counted, grouped, placeWords, timeWords, VERBS } from './words.js';

const ACTIONS = ['retry', 'recorded', 'dismissed'] as const satisfies readonly DecideRequest['action'][];

const ALL: Readonly<Record<(typeof ACTIONS)[number], string>> = { retry: 'Send all again…', recorded: 'Declare all recorded…', dismissed: 'Dismiss all…' };

/** One group: what went wrong, what can be done with all of it, and its reports to select from. */
export function createGroup(page: Page, group: GroupKey): View {
  const facts = make('div');
  const showFacts = slot(facts);
  const list = make('ul', { class: 'list select' });
  const none = emptyState('No report is left in this group', make('p', {}, 'All of them are decided.'));
  const more = make('button', { type: 'button', class: 'quiet', hidden: true, click: () => void load() }, 'Show more');
  const chosen = new Set<string>();
  const chosenWords = make('span', { class: 'dim', role: 'status' });
  const what = group.words || group.code;
  let count = 0;
  let next: string | null | undefined;
  let loadedOf: number | undefined;
  let isStale = false;

  const buttonsFor = (words: (action: (typeof ACTIONS)[number]) => string, act: (action: (typeof ACTIONS)[number]) => void) =>
    ACTIONS.map((action) => make('button', { type: 'button', class: action === 'retry' ? 'primary' : '', click: () => act(action) }, words(action)));
  const all = buttonsFor(
    (action) => ALL[action],
    (action) => decide(page, action, { group }, `all ${grouped(count)}`),
  );
  const some = buttonsFor(
    (action) => `${VERBS[action]}…`,
    (action) => decide(page, action, { ids: [...chosen] }, counted(chosen.size, 'report')),
  );

  function showChosen(): void {
    chosenWords.textContent = chosen.size === 0 ? 'None selected' : `${grouped(chosen.size)} selected`;
    for (const button of some) button.disabled = chosen.size === 0;
  }

  function rowOf(report: ReportSummary, now: number): HTMLElement {
    const box = make('input', { type: 'checkbox', 'aria-label': `Select ${report.reference}` });
    box.addEventListener('change', () => {
      if (box.checked) chosen.add(report.id);
      else chosen.delete(report.id);
      showChosen();
    });
    return make('li', {}, page.session.mayAct && box, make('a', { class: 'row-link', href: reportHash(report.id) }, ...reportContent(report, now, 'group')));
  }

  async function load(fromStart = false): Promise<void> {
    if (fromStart) {
      list.replaceChildren();
      chosen.clear();
      next = undefined;
    }
    const { account, environment } = group;
    const answer = await call<SearchPage>('search', { state: 'quarantined', account, environment, group, cursor: next });
    list.append(...answer.reports.map((report) => rowOf(report, Date.now())));
    next = answer.next;
    more.hidden = next === null;
    showChosen();
  }

  const actions = page.session.mayAct && make('div', { class: 'actions' }, ...all);
  const selection = page.session.mayAct && make('div', { class: 'fresh' }, chosenWords, make('div', { class: 'actions' }, ...some));
  return {
    title: what,
    back: '#/person',
    element: viewElement(
      what,
      make('p', {}, make('a', { class: 'back', href: '#/person' }, '← All groups')),
      make('div', { class: 'card pad' }, facts, actions),
      make('section', { class: 'card', 'aria-label': 'Reports of this group' }, selection, none, list, more),
    ),
    async update() {
      const { groups, now } = await call<Groups>('groups', { account: group.account, environment: group.environment });
      const found = groups.find((one) => keyOf(one) === keyOf(group));
      count = found?.count ?? 0;
      none.hidden = count > 0;
      for (const button of all) button.disabled = count === 0;
      showFacts([found, count], () => [
        factsList([
          ['Reports', grouped(count)],
          ['Problem', found?.status ? `${group.code}, HTTP ${found.status}` : group.code],
          ['Where', placeWords(group)],
          ['First seen', found && timeWords(found.firstAt, now)],
          ['Last seen', found && timeWords(found.lastAt, now)],
        ]),
      ]);
      // The rows stay as they are until a decision changes them, or they are all decided elsewhere.
      if (loadedOf === undefined || (count === 0 && loadedOf > 0) || isStale) await load(true);
      loadedOf = count;
      isStale = false;
    },
    walk(by) {
      const links = [...list.querySelectorAll('a')];
      const at = links.indexOf(document.activeElement as HTMLAnchorElement);
      links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
    },
    decided() {
      isStale = true;
    },
  };
}
