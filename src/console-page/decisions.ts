import { make } from '../kit/dom.js';
import type { DecisionPage } from '../outbox/console/data.js';
import type { DecisionRecord } from '../outbox/console/decisions.js';
import { undo } from './decide.js';
import { call } from './server.js';
import type { Page } from './view.js';
import { actionWords, counted, timeWords } from './words.js';

const FEW = 5;
const MANY = 50;

/** The latest decisions, by whom and why. The list is loaded when it is opened, and does not move afterwards. */
export function createDecisions(page: Page) {
  const list = make('ul', { class: 'decisions' });
  const more = make('button', { type: 'button', class: 'quiet', hidden: true, click: () => void showMore() }, 'Show older ones');
  /** Loaded, and not shown yet. */
  let waiting: DecisionRecord[] = [];
  let next: string | null = null;

  async function read(before: string | null): Promise<void> {
    const answer = await call<DecisionPage>('decisions', { before });
    waiting = [...answer.decisions];
    next = answer.next;
  }

  function show(many: number): void {
    list.append(...waiting.splice(0, many).map((decision) => rowOf(page, decision)));
    more.hidden = waiting.length === 0 && next === null;
  }

  async function showMore(): Promise<void> {
    if (waiting.length === 0) await read(next);
    show(MANY);
  }

  async function load(): Promise<void> {
    await read(null);
    list.replaceChildren();
    show(FEW);
    if (list.childElementCount === 0) list.append(make('li', { class: 'dim' }, 'No decision yet.'));
  }

  return { element: make('section', { class: 'card', 'aria-label': 'Decisions' }, make('h3', {}, 'Decisions'), list, more), load };
}

function rowOf(page: Page, decision: DecisionRecord): HTMLElement {
  const { id, action, who, reason, at, touched, undoneBy, done } = decision;
  const isUndoable = action === 'retry' && undoneBy === null && touched > 0 && page.session.mayAct;
  const facts = [timeWords(at, Date.now()), `by ${who}`, undoneBy !== null && 'undone', !done && 'interrupted'];
  return make(
    'li',
    {},
    make(
      'div',
      {},
      make('b', {}, `${actionWords(action)}: ${counted(touched, 'report')}`),
      make('p', {}, reason),
      make('p', { class: 'dim' }, facts.filter(Boolean).join(', ')),
    ),
    isUndoable && make('button', { type: 'button', click: () => undo(page, id, reason) }, 'Undo…'),
  );
}
