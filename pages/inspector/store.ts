import { asRecord } from '../../src/core/platform/as-record.js';
import type { JournalEntry } from '../../src/testing/mock/journal.js';
import type { Status } from '../kit/parts.js';

/** A request, or a recorded report whose request is no longer in the journal. */
export interface Entry extends JournalEntry {
  readonly earlier?: true;
}

export interface HeldReport extends Pick<Entry, 'operation' | 'reference' | 'environment' | 'body'> {}

/** All entries of one bet, one withdrawal, or one request that belongs to neither. */
export interface Story {
  readonly key: string;
  readonly kind: 'Bet' | 'Withdrawal' | 'NIN' | 'Request';
  readonly title: string;
  readonly environment: Entry['environment'];
  /** Oldest first. */
  entries: Entry[];
  readonly recorded: Set<string>;
}

const MOST_ENTRIES = 1_000;
const MOST_HELD = 500;

const HELD = {
  requestId: '',
  at: 0,
  method: 'POST',
  path: '',
  key: 'valid',
  status: undefined,
  answer: undefined,
  applied: true,
  fault: undefined,
  earlier: true,
} as const;

const kindOf = ({ operation }: Entry): Story['kind'] => {
  if (!operation) return 'Request';
  return operation.includes('Bet') ? 'Bet' : operation.includes('Withdrawal') ? 'Withdrawal' : 'NIN';
};

/** An empty environment stands for all. */
const isOf = (one: Pick<Entry, 'environment'>, environment: string): boolean =>
  environment === '' || one.environment === environment;

/** The page's data. It is bounded, like the journal from which it comes. */
export function createStore() {
  const stories = new Map<string, Story>();
  let entries: Entry[] = [];

  function put(entry: Entry): void {
    const { reference, environment, path, id } = entry;
    const kind = kindOf(entry);
    const key = reference === undefined ? `#${id}` : `${environment} ${kind} ${reference}`;
    const title = reference ?? (kind === 'Request' ? path : kind === 'NIN' ? 'Verification' : 'No reference');
    const story = stories.get(key) ?? { key, kind, title, environment, entries: [], recorded: new Set<string>() };
    // Moves the story to the end: it is the latest.
    stories.delete(key);
    stories.set(key, story);
    if (entry.applied && entry.operation) {
      story.entries = story.entries.filter((one) => !one.earlier || one.operation !== entry.operation);
      story.recorded.add(entry.operation);
    }
    story.entries.push(entry);
    entries.push(entry);
    if (entries.length > MOST_ENTRIES) forget(entries.shift() as Entry);
  }

  function forget(entry: Entry): void {
    // The story without news for the longest time comes first, so the oldest is found quickly.
    for (const story of stories.values()) {
      if (!story.entries.includes(entry)) continue;
      story.entries = story.entries.filter((one) => one !== entry);
      if (story.entries.length === 0) stories.delete(story.key);
      return;
    }
  }

  const nameOf = ({ environment, operation, reference }: HeldReport) => `${environment} ${operation} ${reference}`;

  return {
    add: put,
    /** Merges the recorded reports with the requests that arrived while they were loaded. */
    addHeld(reports: readonly HeldReport[]): void {
      const came = entries.filter(({ earlier }) => !earlier);
      const known = new Set(came.filter(({ applied }) => applied).map(nameOf));
      const older = reports.filter((report) => !known.has(nameOf(report))).slice(-MOST_HELD);
      stories.clear();
      entries = [];
      for (const [index, report] of older.entries()) put({ ...HELD, ...report, id: index - older.length });
      came.forEach(put);
    },
    clear(): void {
      stories.clear();
      entries = [];
    },
    stories(environment: string, words: string): Story[] {
      const all = [...stories.values()].reverse().filter((story) => isOf(story, environment));
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      return wanted.length === 0 ? all : all.filter((story) => wanted.every((word) => textOf(story).includes(word)));
    },
    story: (key: string | undefined): Story | undefined => (key === undefined ? undefined : stories.get(key)),
    entries: (environment = ''): Entry[] => entries.filter((entry) => isOf(entry, environment)),
  };
}

function textOf({ kind, title, entries }: Story): string {
  const said = entries.map((entry) => {
    const { operation, path, method, status, fault } = entry;
    return [operation, path, method, status, fault, sourceOf(entry), outcomeOf(entry).words].join(' ');
  });
  return [kind, title, ...said].join(' ').toLowerCase();
}

export function sourceOf({ body }: Pick<Entry, 'body'>): string | undefined {
  const { source } = asRecord(asRecord(body).location);
  return typeof source === 'string' ? source : undefined;
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'Not understood',
  401: 'Key refused',
  404: 'Not initiated',
  405: 'Wrong method',
  413: 'Too large',
  422: 'Invalid',
  429: 'Too many requests',
};

const SPOILT = ['half-body', 'broken-json', 'wrong-content-type'];

/** For the sender of the request. */
export function outcomeOf({ applied, status, fault, operation, answer, earlier }: Entry): Status {
  const { message, success } = asRecord(answer);
  const spoilt = status !== undefined && fault !== undefined && SPOILT.includes(fault);
  if (earlier) return { tone: 'ok', words: 'Recorded' };
  if (applied && status === undefined) return { tone: 'doubt', words: 'Recorded, answer lost' };
  if (applied && (spoilt || (status ?? 0) >= 300)) return { tone: 'doubt', words: 'Recorded, answer corrupted' };
  if (applied) return { tone: 'ok', words: 'Recorded' };
  if (status === undefined) return { tone: 'bad', words: 'No answer' };
  if (spoilt) return { tone: 'bad', words: 'Answer corrupted' };
  if (fault === 'status') return { tone: 'bad', words: `Answered ${status}` };
  if (operation === 'verifyNin' && status === 200) return { tone: 'ok', words: success ? 'Verified' : 'Not verified' };
  if (/already been reported/.test(String(message))) {
    return /different/.test(String(message))
      ? { tone: 'bad', words: 'Conflict: other data is recorded' }
      : { tone: 'repeat', words: 'Repeat refused' };
  }
  if (status === 404 && !operation) return { tone: 'bad', words: 'No such path' };
  return { tone: 'bad', words: REFUSALS[status] ?? (status < 300 ? 'Empty answer' : `Answered ${status}`) };
}
