import { byId, make } from '../kit/dom.js';
import { createList, type List } from '../kit/list.js';
import { markOf, type Standing } from '../kit/mark.js';
import { outcomeOf } from './outcome.js';
import type { Story } from './store.js';
import { count, steps, timeOf } from './words.js';

const MOST_SHOWN = 200;

/** The state of a story: the latest entry, unless it repeats a recorded report. */
export function standing({ entries }: Story): Standing {
  const last = entries.at(-1);
  if (!last) return { tone: 'ok', words: '' };
  const outcome = last.earlier ? { tone: 'ok' as const, words: 'Recorded' } : outcomeOf(last);
  return outcome.tone === 'repeat' ? { tone: 'ok', words: 'Recorded, repeat refused' } : outcome;
}

export interface StoryList extends Pick<List, 'walk' | 'focus'> {
  show(stories: readonly Story[], selected: string | undefined): void;
}

/** The list of stories. */
export function createStoryList(select: (key: string) => void): StoryList {
  const list = createList(byId('list'), select);
  return {
    ...list,
    show(stories, selected) {
      const shown = stories.slice(0, MOST_SHOWN);
      list.show(
        shown.map((story) => ({ key: story.key, version: versionOf(story), content: () => content(story) })),
        selected,
      );
      const more = byId('more');
      more.hidden = stories.length <= MOST_SHOWN;
      more.textContent = `The latest ${MOST_SHOWN} of ${stories.length.toLocaleString('en')}. Search for the others.`;
    },
  };
}

/** A row changes with a new entry, or with a new state of the recorded report. */
const versionOf = ({ entries, recorded }: Story): string => `${entries.at(-1)?.id} ${entries.length} ${recorded.size}`;

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
