import { copyButton } from '../kit/copy.js';
import { byId, make } from '../kit/dom.js';
import { factsList, section } from '../kit/facts.js';
import { jsonView } from '../kit/json-view.js';
import { badge } from '../kit/mark.js';
import { createTimeline } from '../kit/timeline.js';
import { toCurl } from './curl.js';
import { stageWords, standing } from './list.js';
import { outcomeOf } from './outcome.js';
import { server } from './server.js';
import { type Entry, type Story, sourceOf } from './store.js';
import { operationWords, sourceWords, steps, timeOf } from './words.js';

const MOST_SHOWN = 100;

export interface Detail {
  show(story: Story | undefined, revealing: boolean): void;
  focus(): void;
}

/** One story in full: its facts, and each request with its answer. */
export function createDetail(back: () => void, announce: (text: string) => void): Detail {
  const place = byId('detail');
  const head = make('div', { class: 'head' });
  const timeline = createTimeline();
  /** Entries have no number of their own once they are only held. */
  const keys = new Map<Entry, string>();
  const keyOf = (entry: Entry): string => {
    const key = keys.get(entry) ?? String(keys.size);
    keys.set(entry, key);
    return key;
  };
  let shown: { story: Story; revealing: boolean } | undefined;

  function itemOf(entry: Entry, open: boolean): HTMLElement {
    const details = make(
      'details',
      { open },
      make(
        'summary',
        {},
        make('span', { class: 'what' }, make('b', {}, operationWords(entry)), badge(entry.earlier ? { tone: 'ok', words: 'Recorded' } : outcomeOf(entry))),
        make('time', {}, timeOf(entry)),
      ),
    );
    const fill = () => details.childElementCount === 1 && details.append(...content(entry));
    if (open) fill();
    else details.addEventListener('toggle', fill, { once: true });
    return details;
  }

  function content(entry: Entry): HTMLElement[] {
    const { method, path, key, body, requestId, status, answer, fault, earlier, applied } = entry;
    const source = sourceOf(entry);
    const note = make('p', { class: 'note', hidden: true });
    const request = make('div', {}, body === undefined ? make('p', { class: 'dim' }, 'The body could not be read.') : jsonView(body));
    let full = body;
    const line = make('pre', { class: 'line' });
    const showLine = () => {
      line.textContent = toCurl(location.origin, { method, path, body: full });
    };
    showLine();
    if (shown?.revealing && body !== undefined) {
      note.hidden = false;
      note.textContent = applied
        ? 'Loading the personal data…'
        : 'Only recorded reports can be shown in full. The personal data of a refused request is not kept.';
      if (applied) {
        server.revealed(entry).then(
          (revealed) => {
            note.textContent = revealed ? 'This is personal data.' : 'The report is no longer recorded.';
            if (!revealed) return;
            full = revealed;
            request.replaceChildren(jsonView(revealed));
            showLine();
          },
          () => {
            note.textContent = 'The personal data could not be loaded.';
          },
        );
      }
    }
    const facts: [string, string | undefined][] = [
      ['Location from', source && sourcesOf(shown?.story).size > 1 ? sourceWords(source) : undefined],
      ['Fault', fault?.replaceAll('-', ' ')],
      ['Key', key === 'valid' ? undefined : key],
      ['Recorded', applied ? undefined : 'no'],
      ['Request id', status === undefined ? undefined : requestId],
    ];
    if (earlier)
      return [
        factsList(facts),
        make('p', { class: 'dim' }, 'The report is recorded, but its request is older than this log.'),
        section('Report', request, note),
      ];
    return [
      factsList(facts),
      section('Request', make('p', { class: 'wire' }, `${method} ${path}`), request, note),
      section(
        'Answer',
        make('p', { class: 'wire' }, status === undefined ? 'No answer was sent: the connection broke, or the request is held back.' : `Status ${status}`),
        answer !== undefined && status !== undefined && jsonView(answer),
      ),
      section(
        'Repeat with curl',
        copyButton('Copy the curl command', () => line.textContent ?? '', announce),
        line,
        JSON.stringify(full)?.includes('[masked]') &&
          !shown?.revealing &&
          make('p', { class: 'dim' }, 'Personal data is masked. Show it to copy a command that the gateway accepts.'),
      ),
    ];
  }

  return {
    show(story, revealing) {
      document.body.classList.toggle('has-detail', story !== undefined);
      if (!story) {
        if (shown || !place.firstChild)
          place.replaceChildren(make('p', { class: 'none', id: 'detail-title' }, 'Choose a report to see its requests and answers.'));
        shown = undefined;
        timeline.clear();
        keys.clear();
        return;
      }
      const isOther = shown?.story.key !== story.key;
      if (isOther || shown?.revealing !== revealing) {
        timeline.clear();
        keys.clear();
      }
      shown = { story, revealing };
      if (isOther) place.replaceChildren(head, timeline.element);
      const entries = story.entries.slice(-MOST_SHOWN);
      const isFresh = keys.size === 0;
      timeline.show(
        entries.map((entry) => ({
          key: keyOf(entry),
          version: '1',
          tone: entry.earlier ? 'ok' : outcomeOf(entry).tone,
          content: () => [itemOf(entry, isFresh && entry === entries.at(-1))],
        })),
      );
      if (isOther) place.scrollTop = 0;
      if (isOther || !head.contains(document.activeElement)) head.replaceChildren(...headOf(story));
    },
    focus: () => place.focus({ preventScroll: true }),
  };

  function headOf(story: Story): HTMLElement[] {
    const { title, kind, environment, entries } = story;
    const source = [...sourcesOf(story)].at(-1);
    return [
      make('button', { type: 'button', class: 'quiet back', click: back }, '← All reports'),
      make('h2', { id: 'detail-title' }, title),
      make('p', { class: 'sub' }, make('span', {}, kind), badge(standing(story)), environment && make('span', { class: 'tag' }, environment)),
      factsList([
        ['State', steps(story) && stageWords(story)],
        ['Location from', source && sourceWords(source)],
        ['Requests', entries.length.toLocaleString('en')],
      ]),
    ];
  }
}

const sourcesOf = (story: Story | undefined) => new Set(story?.entries.map(sourceOf).filter((source) => source !== undefined));
