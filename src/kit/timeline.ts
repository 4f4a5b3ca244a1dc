import { arrange, make } from './dom.js';
import type { Tone } from './mark.js';

/** One event of a timeline. Its content is made again where its version is another one. */
export interface TimelineItem {
  readonly key: string;
  readonly version: string;
  readonly tone: Tone;
  content(): HTMLElement[];
}

/** Events from the oldest to the newest: what has not changed keeps its place, its focus and what is opened in it. */
export interface Timeline {
  readonly element: HTMLOListElement;
  show(items: readonly TimelineItem[]): void;
  /** Forgets all, so that the next ones are made anew. */
  clear(): void;
}

export function createTimeline(): Timeline {
  const element = make('ol', { class: 'timeline' });
  const held = new Map<string, { readonly item: HTMLLIElement; version: string }>();
  return {
    element,
    show(items) {
      const keys = new Set(items.map(({ key }) => key));
      for (const key of held.keys()) if (!keys.has(key)) held.delete(key);
      const shown = items.map(({ key, version, tone, content }) => {
        const known = held.get(key) ?? { item: make('li'), version: '' };
        held.set(key, known);
        if (known.version !== version) {
          known.version = version;
          known.item.className = tone;
          known.item.replaceChildren(...content());
        }
        return known.item;
      });
      arrange(element, shown);
    },
    clear() {
      held.clear();
      element.replaceChildren();
    },
  };
}
