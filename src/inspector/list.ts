import { arrange, byId, make } from './dom.js';
import { outcomeOf, type StoryOutcome } from './outcome.js';
import { markOf } from './outcome-mark.js';
import type { Story } from './store.js';
import { count, steps, timeOf } from './words.js';

const MOST_SHOWN = 200;

/** How a story stands: what came last, unless that was a repeat of what is recorded. */
export function standing({ entries }: Story): StoryOutcome {
  const last = entries.at(-1);
  if (!last) return { tone: 'ok', words: '' };
  const outcome = last.earlier ? { tone: 'ok' as const, words: 'Recorded' } : outcomeOf(last);
  return outcome.tone === 'repeat' ? { tone: 'ok', words: 'Recorded, repeat refused' } : outcome;
}

export interface List {
  show(stories: readonly Story[], selected: string | undefined): void;
  /** Moves through the list, and gives the key of where it is now. */
  walk(by: number): string | undefined;
  /** Goes to this story's row, or else to the first. */
  focus(key: string | undefined): void;
}

/** The list of stories: one stop for the Tab key, and arrows within it. */
export function createList(select: (key: string) => void): List {
  const list = byId('list');
  const rows = new Map<string, { row: HTMLLIElement; button: HTMLButtonElement; version: string }>();

  const buttons = () => [...list.querySelectorAll('button')];

  function rowOf(story: Story): HTMLLIElement {
    const { key, entries } = story;
    // What changes a row: another entry, or another state of what is recorded.
    const version = `${entries.at(-1)?.id} ${entries.length} ${story.recorded.size}`;
    let held = rows.get(key);
    if (!held) {
      const button = make('button', { type: 'button', tabindex: '-1', click: () => select(key) });
      button.dataset.key = key;
      held = { row: make('li', {}, button), button, version: '' };
      rows.set(key, held);
    }
    if (held.version !== version) {
      held.version = version;
      held.button.replaceChildren(...content(story));
    }
    return held.row;
  }

  return {
    show(stories, selected) {
      const shown = stories.slice(0, MOST_SHOWN);
      const keys = new Set(shown.map(({ key }) => key));
      for (const key of rows.keys()) if (!keys.has(key)) rows.delete(key);
      arrange(list, shown.map(rowOf));
      const first = selected !== undefined && keys.has(selected) ? selected : shown[0]?.key;
      for (const [key, { button }] of rows) {
        button.tabIndex = key === first ? 0 : -1;
        if (key === selected) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
      }
      const more = byId('more');
      more.hidden = stories.length <= MOST_SHOWN;
      more.textContent = `The latest ${MOST_SHOWN} of ${stories.length.toLocaleString('en')}. Search to find the others.`;
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

function content(story: Story): HTMLElement[] {
  const { kind, title, environment, entries, recorded } = story;
  const last = entries.at(-1);
  const { tone, words } = standing(story);
  const mark = make('span', { class: 'lead' });
  mark.append(markOf(tone));
  const stages = steps(story);
  const track =
    stages && make('span', { class: 'track', 'aria-hidden': 'true' }, ...stages.map((step) => make('i', { class: recorded.has(step) ? 'done' : '' })));
  return [
    mark,
    make('span', { class: 'title' }, title),
    make('time', {}, last && timeOf(last)),
    make(
      'span',
      { class: 'sub' },
      make('span', { class: 'kind' }, kind),
      track,
      make('span', { class: tone }, stages && tone === 'ok' ? stageWords(story) : words),
      entries.length > 1 && make('span', { class: 'dim' }, count(entries.length, 'request')),
      environment === 'production' && make('span', { class: 'tag' }, 'production'),
    ),
  ];
}

export function stageWords(story: Story): string {
  const [first, second] = steps(story) ?? ['', ''];
  if (story.recorded.has(second)) return 'Settled';
  return story.recorded.has(first) ? 'Initiated' : standing(story).words;
}
