// How the page looks: it draws the backend's data. Everything is set as text, so that no answer is interpreted as
// markup.

/**
 * @typedef {{ tone: 'good' | 'wait' | 'bad', title: string, text?: string, support?: string, again?: string | undefined, howToAllow?: boolean }} Notice
 * @typedef {{ kind: 'bet' | 'withdrawal', id: string, amount: number, time: number, state: 'open' | 'in-doubt' | 'reported' | 'held' | 'settled', about: string,
 *   odds?: number, payout?: number, inDoubt: boolean, source?: string, place?: string, accuracy?: number }} Entry
 * @typedef {{ nickname?: string, balance: number, entries: Entry[], backOffice: Entry[], condition: string, gateway: string,
 *   conditions: { name: string, title: string, hint: string }[] }} State
 * @typedef {{ onReport(kind: Entry['kind'], id: string): void, onSettle(id: string, won: boolean): void, onCondition(name: string): void }} Handlers
 */

import { waysToAllow } from './allow-location.js';

const naira = new Intl.NumberFormat('en-NG', {
  style: 'currency',
  currency: 'NGN',
  currencyDisplay: 'narrowSymbol',
  maximumFractionDigits: 0,
});

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {ParentNode} parent @param {string} selector */
const within = (parent, selector) => /** @type {HTMLElement} */ (parent.querySelector(selector));
const copyOf = (/** @type {string} */ id) =>
  /** @type {DocumentFragment} */ (/** @type {HTMLTemplateElement} */ (element(id)).content.cloneNode(true));

const clock = new Intl.DateTimeFormat('en-NG', { dateStyle: 'medium', timeStyle: 'short' });

/** The number that a player reads to support, and that support searches for. */
export const numberOf = (/** @type {string} */ id) => id.slice(0, 12);

/** Moves the focus to the next step. @param {string} id */
export const focusOn = (id) => element(id).focus();

/** @param {string} label @param {() => void} press */
function button(label, press) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'plain';
  made.textContent = label;
  made.addEventListener('click', press);
  return made;
}

/**
 * Shows a notice. Without one it clears the place.
 * @param {HTMLElement} place
 * @param {Notice} [notice]
 * @param {() => void} [again]
 */
export function showNotice(place, notice, again) {
  const hadFocus = place.contains(document.activeElement);
  place.className = `notice ${notice?.tone ?? ''}`;
  if (!notice) return place.replaceChildren();
  const made = copyOf('notice');
  within(made, 'b').textContent = notice.title;
  within(made, 'p').textContent = notice.text ?? '';
  if (notice.howToAllow) made.append(...stepsToAllow());
  if (notice.again && again) made.append(button(notice.again, again));
  if (notice.support) {
    const support = document.createElement('small');
    support.textContent = `For support: ${notice.support}`;
    made.append(support);
  }
  place.replaceChildren(made);
  // The pressed button is gone: its successor, or else the notice itself, gets the focus for keyboard users.
  if (!hadFocus) return;
  place.tabIndex = -1;
  (place.querySelector('button') ?? place).focus();
}

/** How to allow the location, for this browser and, folded, for the others. */
function stepsToAllow() {
  const { own, others } = waysToAllow();
  return [
    ...(own ? [fold(`How to allow your location in ${own.browser}`, [listOf(own.steps)], true)] : []),
    fold(
      own ? 'In another browser' : 'How to allow your location',
      others.flatMap(({ browser, steps }) => [textOf('b', browser), listOf(steps)]),
    ),
  ];
}

/** @param {string} name of the element @param {string} text */
const textOf = (name, text) => Object.assign(document.createElement(name), { textContent: text });

/** @param {readonly string[]} steps */
function listOf(steps) {
  const list = document.createElement('ol');
  list.append(...steps.map((step) => textOf('li', step)));
  return list;
}

/** @param {string} title @param {readonly HTMLElement[]} content */
function fold(title, content, open = false) {
  const made = document.createElement('details');
  made.open = open;
  made.append(textOf('summary', title), ...content);
  return made;
}

/** @param {State} state @param {Handlers} handlers */
export function showState(state, handlers) {
  const isIn = state.nickname !== undefined;
  element('welcome').hidden = isIn;
  element('site').hidden = element('account').hidden = element('to-back-office').hidden = !isIn;
  if (!isIn) return;
  element('nickname').textContent = state.nickname ?? '';
  element('balance').textContent = naira.format(state.balance);
  /** @type {HTMLAnchorElement} */ (element('gateway')).href = state.gateway;
  showRows('entries', 'own', state.entries, (entry) => entryFor(entry, handlers));
  showRows('back-office', 'waiting', state.backOffice, (entry) => settlementFor(entry, handlers));
  showConditions(state, handlers);
}

/** The number of rows that are shown before the player asks for all. */
const FEW = 8;
/** The lists that show all rows. @type {Set<string>} */
const whole = new Set();

/**
 * Draws a list again and keeps the focus in it: on the button of the row that replaced the pressed one, or on the
 * heading.
 * @param {string} id of the list
 * @param {string} heading
 * @param {Entry[]} entries
 * @param {(entry: Entry) => DocumentFragment} rowFor
 */
function showRows(id, heading, entries, rowFor) {
  const list = element(id);
  const at = [...list.querySelectorAll('button')].indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const shown = whole.has(id) ? entries : entries.slice(0, FEW);
  list.replaceChildren(...shown.map(rowFor));
  if (shown.length < entries.length) {
    const all = document.createElement('li');
    const press = () => {
      whole.add(id);
      showRows(id, heading, entries, rowFor);
    };
    all.append(button(`Show all ${entries.length}`, press));
    list.append(all);
  }
  const buttons = list.querySelectorAll('button');
  if (at >= 0) (buttons[Math.min(at, buttons.length - 1)] ?? element(heading)).focus();
}

/** @param {Entry} entry */
const titleOf = ({ kind, amount, about }) =>
  kind === 'bet' ? `${about}, ${naira.format(amount)}` : `Withdrawal, ${naira.format(amount)}`;

/** @param {Entry} entry */
function placeOf({ source, place, accuracy, state }) {
  if (state === 'open' || !source) return '';
  if (source === 'gps') return `Located by this device${accuracy ? `, to ${Math.round(accuracy)} m` : ''}`;
  return `Located by your connection${place ? `, near ${place}` : ''}`;
}

/** @param {Entry} entry @returns {[words: string, tone: string]} */
function markOf({ kind, state, payout = 0 }) {
  if (state === 'open') return ['Not sent', 'wait'];
  if (state === 'in-doubt') return ['Being checked', 'wait'];
  if (state === 'held') return ['Not accepted', 'bad'];
  if (state === 'reported') return [kind === 'bet' ? 'Accepted' : 'Requested', 'good'];
  if (kind === 'withdrawal') return ['Paid', 'good'];
  return payout > 0 ? [`Won ${naira.format(payout)}`, 'good'] : ['Lost', 'quiet'];
}

/** @param {Entry} entry @param {string} more @param {readonly HTMLElement[]} buttons */
function row(entry, more, buttons) {
  const made = copyOf('entry');
  const time = /** @type {HTMLTimeElement} */ (within(made, 'time'));
  within(made, 'b').textContent = titleOf(entry);
  within(made, '.place').textContent = more;
  within(made, '.number').textContent = numberOf(entry.id);
  time.dateTime = new Date(entry.time).toISOString();
  time.textContent = clock.format(entry.time);
  within(made, '.buttons').replaceChildren(...buttons);
  return made;
}

/** @param {Entry} entry @param {Handlers} handlers */
function entryFor(entry, { onReport }) {
  const { kind, id, state } = entry;
  const label = { open: 'Send it', 'in-doubt': 'Ask again' }[/** @type {string} */ (state)];
  const made = row(entry, placeOf(entry), label ? [button(label, () => onReport(kind, id))] : []);
  const [words, tone] = markOf(entry);
  within(made, '.mark').textContent = words;
  within(made, '.mark').classList.add(tone);
  return made;
}

/** @param {Entry} entry @param {Handlers} handlers */
function settlementFor(entry, { onSettle }) {
  const { kind, id, inDoubt } = entry;
  const press = (/** @type {string} */ label, won = false) => button(label, () => onSettle(id, won));
  const buttons = inDoubt
    ? [press('Ask again')]
    : kind === 'bet'
      ? [press('Won', true), press('Lost')]
      : [press('Pay out')];
  return row(entry, '', buttons);
}

/** @param {State} state @param {Handlers} handlers */
function showConditions({ conditions, condition }, { onCondition }) {
  const place = element('conditions');
  if (place.childElementCount === 0)
    place.append(
      ...conditions.map(({ name, title, hint }) => {
        const made = copyOf('condition');
        const input = /** @type {HTMLInputElement} */ (within(made, 'input'));
        input.value = name;
        input.addEventListener('change', () => onCondition(name));
        within(made, 'b').textContent = title;
        within(made, '.dim').textContent = hint;
        return made;
      }),
    );
  for (const input of place.querySelectorAll('input')) input.checked = input.value === condition;
}

let busy = false;

/** One thing at a time: other presses are ignored meanwhile. @param {() => Promise<void>} work */
export async function whileBusy(work) {
  if (busy) return;
  busy = true;
  document.body.setAttribute('aria-busy', 'true');
  try {
    await work();
  } finally {
    busy = false;
    document.body.removeAttribute('aria-busy');
  }
}

/** Keeps the possible payout of a bet on its button. */
export function watchWin() {
  const form = /** @type {HTMLFormElement} */ (element('bet'));
  const show = () => {
    const picked = /** @type {HTMLInputElement} */ (within(form, '[name=pick]:checked'));
    const stake = Number(new FormData(form).get('stake'));
    element('win').textContent = `to win ${naira.format(Math.round(stake * Number(picked.dataset.odds)))}`;
  };
  form.addEventListener('change', show);
  show();
}
