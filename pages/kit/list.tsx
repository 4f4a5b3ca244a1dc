import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Mark, type TitledProps, type Tone } from './parts.js';

interface RowProps extends TitledProps {
  readonly tone: Tone;
  readonly end: ComponentChildren;
}

/** A mark, a first line with a title and an end, and a second line. */
export const Row = ({ tone, title, end, children }: RowProps) => (
  <>
    <span class="lead">
      <Mark tone={tone} />
    </span>
    <span class="title">{title}</span>
    {end}
    <span class="sub">{children}</span>
  </>
);

export interface Item {
  readonly key: string;
  readonly content: ComponentChildren;
}

interface ListProps {
  readonly id?: string;
  readonly class?: string;
  readonly items: readonly Item[];
  readonly selected?: string | undefined;
  readonly onSelect: (key: string) => void;
}

/** One stop for the Tab key, and arrow keys within it. */
export function ButtonList({ id, class: style = 'list', items, selected, onSelect }: ListProps) {
  const place = useRef<HTMLUListElement>(null);
  const focused = document.activeElement;
  // The browser takes the focus from a row that is moved within the list.
  useLayoutEffect(() => {
    if (focused instanceof HTMLElement && focused !== document.activeElement && place.current?.contains(focused))
      focused.focus({ preventScroll: true });
  });
  const stop = items.some(({ key }) => key === selected) ? selected : items[0]?.key;
  return (
    <ul id={id} class={style} ref={place}>
      {items.map(({ key, content }) => (
        <li key={key}>
          <button
            type="button"
            tabIndex={key === stop ? 0 : -1}
            data-key={key}
            aria-current={key === selected ? 'true' : undefined}
            onClick={() => onSelect(key)}
          >
            {content}
          </button>
        </li>
      ))}
    </ul>
  );
}

const rowsOf = (list: Element | null) => [...(list?.querySelectorAll<HTMLElement>('button, a') ?? [])];

/** Moves the focus from the row that has it or is selected. Returns the key of the row reached. */
export function walkThrough(list: Element | null, by: number): string | undefined {
  const rows = rowsOf(list);
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement ? rows.indexOf(activeElement) : -1;
  const current = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute('aria-current'));
  const next = rows[current < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, current + by))];
  next?.focus();
  return next?.dataset.key;
}

export function focusRow(list: Element | null, key?: string): void {
  const rows = rowsOf(list);
  (rows.find((row) => row.dataset.key === key) ?? rows[0])?.focus();
}
