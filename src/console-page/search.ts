import { make } from '../kit/dom.js';
import { emptyState } from '../kit/empty.js';
import { createList, type Item } from '../kit/list.js';
import type { SearchPage } from '../outbox/console/data.js';
import { reportHash, reportItem } from './report-row.js';
import { call } from './server.js';
import { errorState, type Page, type View, viewElement } from './view.js';
import { operations, states, timeWords } from './words.js';

type Options = readonly (readonly [value: string, words: string])[];

const field = (label: string, input: HTMLElement): HTMLElement => make('label', {}, make('span', {}, label), input);

const choice = (name: string, all: string, options: Options): HTMLSelectElement =>
  make('select', { name }, make('option', { value: '' }, all), ...options.map(([value, words]) => make('option', { value }, words)));

/** The last search, so that the way back from a report leads to the same list. */
let last: Record<string, string> = {};

/** Searches by reference, id, state, account, environment and time. The words go in a body, never in an address. */
export function createSearch(page: Page): View {
  const text = make('input', {
    type: 'search',
    name: 'text',
    placeholder: 'bet_id, request_id or id',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '500',
  });
  const account = make('input', { type: 'text', name: 'account', placeholder: 'all', autocomplete: 'off', maxlength: '100' });
  const from = make('input', { type: 'datetime-local', name: 'from' });
  const to = make('input', { type: 'datetime-local', name: 'to' });
  const full = page.session.can.search;
  const form = make(
    'form',
    { class: 'search', role: 'search', submit: (event) => void submit(event) },
    field('Reference or id', text),
    full && field('State', choice('state', 'all', states)),
    full && field('Operation', choice('operation', 'all', operations)),
    full &&
      field(
        'Environment',
        choice('environment', 'all', [
          ['staging', 'staging'],
          ['production', 'production'],
          ['relay', 'relay'],
        ]),
      ),
    full && field('Account', account),
    full && field('Enqueued from', from),
    full && field('to', to),
    make('button', { type: 'submit', class: 'primary' }, 'Search'),
  );
  const place = make('ul', { class: 'list' });
  const list = createList(place, (key) => page.go(reportHash(key)));
  const none = make('div');
  const more = make('button', { type: 'button', class: 'quiet', hidden: true, click: () => void show(false) }, 'Show more');
  const reached = make('p', { class: 'more', hidden: true });
  let items: Item[] = [];
  let next: string | null = null;
  let isFirst = true;

  function filter(): Record<string, unknown> {
    const given = Object.fromEntries(Object.entries(last).filter(([, value]) => value !== ''));
    const time = (value: string | undefined) => (value ? new Date(value).getTime() : undefined);
    return { ...given, from: time(given.from), to: time(given.to) };
  }

  async function show(fromStart: boolean): Promise<void> {
    if (fromStart) {
      items = [];
      next = null;
    }
    try {
      const answer = await call<SearchPage>('search', { ...filter(), cursor: next });
      const now = Date.now();
      items.push(...answer.reports.map((report) => reportItem(report, now)));
      next = answer.next;
      more.hidden = next === null;
      reached.hidden = next === null || answer.reached === null;
      reached.textContent = answer.reached === null ? '' : `Looked back to ${timeWords(answer.reached, now)}.`;
      none.replaceChildren(
        ...(items.length === 0 && next === null
          ? [emptyState('No report fits', make('p', {}, 'A reference is searched for as a whole. Leave out what you are not sure of.'))]
          : []),
      );
    } catch (error) {
      none.replaceChildren(errorState(error, () => void show(fromStart)));
    }
    list.show(items, undefined);
    page.announce(`${items.length} found`);
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    last = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    await show(true);
  }

  for (const [name, value] of Object.entries(last)) {
    const input = form.elements.namedItem(name);
    if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) input.value = value;
  }

  return {
    title: 'Search',
    isReady: true,
    element: viewElement('Search', form, make('div', { class: 'card' }, none, place, reached, more)),
    async update() {
      // A list of results stays as it was found.
      if (isFirst) await show(true);
      isFirst = false;
    },
    walk: (by) => void list.walk(by),
  };
}
