import { make } from '../kit/dom.js';
import { badge } from '../kit/mark.js';
import type { DestinationCounts, Overview } from '../outbox/console/overview.js';
import type { Reconciled } from '../outbox/receipts/reconcile.js';
import { referencesOf, writeCsv } from './csv.js';
import { callLines, messageOf } from './server.js';
import type { Page } from './view.js';
import { counted, grouped, operations, placeWords } from './words.js';

/** The number of references that go with one call. */
const BATCH = 2_000;
const MOST_SHOWN = 100;

/** Holds a list of the operator's own, pasted or from a file, against the outbox. */
export function createReconcile(page: Page) {
  const { accounts } = page.session;
  const operation = make('select', { name: 'operation' }, ...operations.map(([value, words]) => make('option', { value }, words)));
  const environment = make('select', { name: 'environment' }, ...['production', 'staging'].map((value) => make('option', { value }, value)));
  const account = make('input', { type: 'text', name: 'account', autocomplete: 'off', maxlength: '100' });
  account.value = accounts?.[0] ?? 'default';
  /** The places of the outbox. Undefined until they are known. */
  let places: readonly DestinationCounts[] | undefined;
  const hint = make('p', { class: 'note', role: 'status' });
  for (const one of [environment, account]) one.addEventListener('input', () => showHint());
  const text = make('textarea', { name: 'list', rows: '5', spellcheck: 'false', placeholder: 'BET-1\nBET-2\n…' });
  const file = make('input', { type: 'file', accept: '.csv,.txt,text/csv,text/plain', name: 'file' });
  const progress = make('progress', { max: '1', value: '0', hidden: true, 'aria-label': 'How much of the list is compared' });
  const said = make('p', { role: 'status' });
  const result = make('div');
  const start = make('button', { type: 'submit', class: 'primary' }, 'Compare');
  let stopping: AbortController | undefined;

  const label = (words: string, input: HTMLElement) => make('label', {}, make('span', {}, words), input);
  const form = make(
    'form',
    { class: 'stacked', submit: (event) => void compare(event) },
    make('div', { class: 'inline' }, label('Operation', operation), label('Environment', environment), label('Account', account)),
    hint,
    label('Your list: a reference a line, or CSV with a column bet_id, request_id or reference', text),
    make('div', { class: 'inline' }, label('or a file', file), start),
  );

  /** Whether the outbox surely has no report in the chosen place. */
  function isEmpty(): boolean {
    const found = places?.find((one) => one.account === account.value.trim() && one.environment === environment.value);
    return places !== undefined && places.length > 0 && !(found && hasReports(found));
  }

  const noneWords = () => `The outbox has no reports in ${placeWords({ account: account.value.trim(), environment: environment.value })}.`;

  function showHint(): void {
    const text = isEmpty() ? noneWords() : '';
    if (hint.textContent !== text) hint.textContent = text;
  }

  /** The first time it chooses a place that has reports, production before staging. */
  function know({ destinations }: Overview): void {
    if (places === undefined) {
      if (destinations.some((one) => one.environment === 'relay')) environment.append(make('option', { value: 'relay' }, 'relay'));
      const used = destinations.filter(hasReports);
      const chosen = used.find((one) => one.environment === 'production') ?? used[0];
      if (chosen) {
        environment.value = chosen.environment;
        account.value = chosen.account;
      }
    }
    places = destinations;
    showHint();
  }

  async function compare(event: Event): Promise<void> {
    event.preventDefault();
    if (stopping) return;
    stopping = new AbortController();
    const { signal } = stopping;
    start.disabled = true;
    result.replaceChildren();
    const found: Reconciled[] = [];
    try {
      const references = referencesOf((await file.files?.[0]?.text()) ?? text.value);
      progress.hidden = false;
      progress.max = Math.max(1, references.length);
      for (let from = 0; from < references.length; from += BATCH) {
        const input = {
          references: references.slice(from, from + BATCH),
          operation: operation.value,
          environment: environment.value,
          account: account.value.trim(),
        };
        for await (const one of callLines<Reconciled>('reconcile', input, signal)) found.push(one);
        progress.value = found.length;
        said.textContent = `${grouped(found.length)} of ${grouped(references.length)} compared`;
      }
      show(found);
    } catch (error) {
      said.textContent = signal.aborted ? 'Stopped.' : messageOf(error);
    }
    progress.hidden = true;
    start.disabled = false;
    stopping = undefined;
  }

  function show(found: readonly Reconciled[]): void {
    if (found.length === 0) {
      said.textContent = 'The list is empty: paste references, or choose a file.';
      return;
    }
    const open = found.filter(({ state }) => state !== 'recorded');
    const isNowhere = found.every(({ state }) => state === 'never-seen');
    if (isNowhere && isEmpty()) {
      said.replaceChildren(badge({ tone: 'doubt', words: `${noneWords()} Choose the environment and the account of your list.` }));
      return;
    }
    const tone = open.length === 0 ? 'ok' : 'bad';
    said.replaceChildren(badge({ tone, words: `${grouped(found.length - open.length)} of ${grouped(found.length)} are recorded.` }));
    const save = make('button', { type: 'button', click: () => download(found) }, 'Save as CSV');
    const rows = open
      .slice(0, MOST_SHOWN)
      .map(({ reference, state, problem }) => make('li', {}, make('span', { class: 'mono' }, reference), ` ${state}${problem ? `, ${problem.code}` : ''}`));
    const more = open.length > MOST_SHOWN && make('p', { class: 'dim' }, `And ${counted(open.length - MOST_SHOWN, 'other')}: save the result.`);
    result.replaceChildren(make('ul', { class: 'plain' }, ...rows), ...(more ? [more] : []), save);
  }

  return {
    element: make(
      'section',
      { class: 'card pad', 'aria-label': 'Compare with your list' },
      make('h3', {}, 'Compare with your list'),
      form,
      progress,
      said,
      result,
    ),
    know,
    close: () => stopping?.abort(),
  };
}

/** Counts that are not known yet may be any. */
const hasReports = ({ states }: DestinationCounts): boolean => Object.values(states).some((count) => count !== 0);

function download(found: readonly Reconciled[]): void {
  const rows = found.map(({ reference, operation, environment, state, outcome, problem }) => [
    reference,
    operation,
    environment,
    state,
    outcome ?? '',
    problem?.code ?? '',
  ]);
  const text = writeCsv([['reference', 'operation', 'environment', 'state', 'outcome', 'problem'], ...rows]);
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  make('a', { href: address, download: 'reconciled.csv' }).click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
