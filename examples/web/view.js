// How the page looks: it draws what the backend says. Everything is set as text, so that no answer is ever taken for markup.

/**
 * @typedef {{ tone: 'good' | 'wait' | 'bad', title: string, text?: string, support?: string, again?: string | undefined }} Notice
 * @typedef {{ kind: 'bet' | 'withdrawal', id: string, amount: number, state: 'open' | 'in-doubt' | 'reported' | 'held' | 'settled', about: string,
 *   odds?: number, payout?: number, inDoubt: boolean, source?: string, place?: string, accuracy?: number }} Entry
 * @typedef {{ nickname?: string, balance: number, entries: Entry[], backOffice: Entry[], condition: string, gateway: string,
 *   conditions: { name: string, title: string, hint: string }[] }} State
 * @typedef {{ onReport(kind: Entry['kind'], id: string): void, onSettle(id: string, won: boolean): void, onCondition(name: string): void }} Handlers
 */

const naira = new Intl.NumberFormat('en-NG', { style: 'currency', currency: 'NGN', currencyDisplay: 'narrowSymbol', maximumFractionDigits: 0 });

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {ParentNode} parent @param {string} selector */
const within = (parent, selector) => /** @type {HTMLElement} */ (parent.querySelector(selector));
const copyOf = (/** @type {string} */ id) => /** @type {DocumentFragment} */ (/** @type {HTMLTemplateElement} */ (element(id)).content.cloneNode(true));

/** @param {string} label @param {() => void} press */
function button(label, press) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'plain';
  made.textContent = label;
  made.addEventListener('click', press);
  return made;
}

/** Shows a notice, or with none clears the place. @param {HTMLElement} place @param {Notice} [notice] @param {() => void} [again] */
export function showNotice(place, notice, again) {
  place.className = `notice ${notice?.tone ?? ''}`;
  if (!notice) return place.replaceChildren();
  const made = copyOf('notice');
  within(made, 'b').textContent = notice.title;
  within(made, 'p').textContent = notice.text ?? '';
  if (notice.again && again) made.append(button(notice.again, again));
  if (notice.support) {
    const support = document.createElement('small');
    support.textContent = `For support: ${notice.support}`;
    made.append(support);
  }
  place.replaceChildren(made);
}

/** @param {State} state @param {Handlers} handlers */
export function showState(state, handlers) {
  const isIn = state.nickname !== undefined;
  element('welcome').hidden = isIn;
  element('site').hidden = element('account').hidden = !isIn;
  if (!isIn) return;
  element('nickname').textContent = state.nickname ?? '';
  element('balance').textContent = naira.format(state.balance);
  /** @type {HTMLAnchorElement} */ (element('gateway')).href = state.gateway;
  element('entries').replaceChildren(...state.entries.map((entry) => entryFor(entry, handlers)));
  element('back-office').replaceChildren(...state.backOffice.map((entry) => settlementFor(entry, handlers)));
  showConditions(state, handlers);
}

/** @param {Entry} entry */
const titleOf = ({ kind, amount, about }) => (kind === 'bet' ? `${about}, ${naira.format(amount)}` : `Withdrawal, ${naira.format(amount)}`);

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
  if (state === 'held') return ['Not taken', 'bad'];
  if (state === 'reported') return [kind === 'bet' ? 'Accepted' : 'Requested', 'good'];
  if (kind === 'withdrawal') return ['Paid', 'good'];
  return payout > 0 ? [`Won ${naira.format(payout)}`, 'good'] : ['Lost', 'quiet'];
}

/** @param {string} title @param {string} more @param {readonly HTMLElement[]} buttons */
function row(title, more, buttons) {
  const made = copyOf('entry');
  within(made, 'b').textContent = title;
  within(made, '.dim').textContent = more;
  within(made, '.buttons').replaceChildren(...buttons);
  return made;
}

/** @param {Entry} entry @param {Handlers} handlers */
function entryFor(entry, { onReport }) {
  const { kind, id, state } = entry;
  const label = { open: 'Send it', 'in-doubt': 'Ask again' }[/** @type {string} */ (state)];
  const made = row(titleOf(entry), placeOf(entry), label ? [button(label, () => onReport(kind, id))] : []);
  const [words, tone] = markOf(entry);
  within(made, '.mark').textContent = words;
  within(made, '.mark').classList.add(tone);
  return made;
}

/** @param {Entry} entry @param {Handlers} handlers */
function settlementFor(entry, { onSettle }) {
  const { kind, id, inDoubt } = entry;
  const press = (/** @type {string} */ label, won = false) => button(label, () => onSettle(id, won));
  const buttons = inDoubt ? [press('Ask again')] : kind === 'bet' ? [press('Won', true), press('Lost')] : [press('Pay out')];
  return row(titleOf(entry), id.slice(0, 12), buttons);
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

/** One thing at a time; what is pressed meanwhile is not heard. @param {() => Promise<void>} work */
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

/** Keeps what a bet could pay on its button. */
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
