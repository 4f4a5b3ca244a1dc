import { arrange, make } from './dom.js';

/** One row of a list. Its content is made again if its version has changed. */
export interface Item {
  readonly key: string;
  readonly version: string;
  content(): HTMLElement[];
}

/** A list of buttons: one stop for the Tab key, and arrow keys within it. */
export interface List {
  show(items: readonly Item[], selected: string | undefined): void;
  /** Moves the selection in the list, and returns the key of the selected row. */
  walk(by: number): string | undefined;
  /** Moves the focus to this row, or else to the first row. */
  focus(key: string | undefined): void;
}

export function createList(place: HTMLElement, select: (key: string) => void): List {
  const rows = new Map<string, { row: HTMLLIElement; button: HTMLButtonElement; version: string }>();

  const buttons = () => [...place.querySelectorAll('button')];

  function rowOf({ key, version, content }: Item): HTMLLIElement {
    let held = rows.get(key);
    if (!held) {
      const button = make('button', { type: 'button', tabindex: '-1', click: () => select(key) });
      button.dataset.key = key;
      held = { row: make('li', {}, button), button, version: '' };
      rows.set(key, held);
    }
    if (held.version !== version) {
      held.version = version;
      held.button.replaceChildren(...content());
    }
    return held.row;
  }

  return {
    show(items, selected) {
      const keys = new Set(items.map(({ key }) => key));
      for (const key of rows.keys()) if (!keys.has(key)) rows.delete(key);
      arrange(place, items.map(rowOf));
      const first = selected !== undefined && keys.has(selected) ? selected : items[0]?.key;
      for (const [key, { button }] of rows) {
        button.tabIndex = key === first ? 0 : -1;
        if (key === selected) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
      }
    },
    walk(by) {
      const all = buttons();
      const focused = all.indexOf(document.activeElement as HTMLButtonElement);
      const current = focused >= 0 ? focused : all.findIndex((one) => one.hasAttribute('aria-current'));
      const next = all[current < 0 ? 0 : Math.max(0, Math.min(all.length - 1, current + by))];
      next?.focus();
      return next?.dataset.key;
    },
    focus: (key) => (rows.get(key ?? '')?.button ?? buttons()[0])?.focus(),
  };
}
