import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Item, Row } from '../kit/list.js';
import { Badge, Button, CopyButton, Facts, JsonView, type Status } from '../kit/parts.js';
import { counted, grouped } from '../kit/words.js';
import { adminApi } from './admin-api.js';
import { type Entry, outcomeOf, type Story, sourceOf } from './store.js';
import { operationWords, sourceWords, steps, timeOf, toCurl } from './words.js';

const MOST_ENTRIES = 100;

/** That of the latest entry, unless it repeats a recorded report. */
function statusOf({ entries }: Story): Status {
  const last = entries.at(-1);
  const outcome: Status = last ? outcomeOf(last) : { tone: 'ok', words: '' };
  return outcome.tone === 'repeat' ? { tone: 'ok', words: 'Recorded, repeat refused' } : outcome;
}

function stageWords(story: Story): string {
  const [first, second] = steps(story) ?? ['', ''];
  if (story.recorded.has(second)) return 'Settled';
  return story.recorded.has(first) ? 'Initiated' : statusOf(story).words;
}

const sourcesOf = ({ entries }: Story) => new Set(entries.map(sourceOf).filter((source) => source !== undefined));

export function storyItem(story: Story): Item {
  const { key, kind, title, environment, entries, recorded } = story;
  const last = entries.at(-1);
  const { tone, words } = statusOf(story);
  const stages = steps(story);
  const content = (
    <Row tone={tone} title={title} end={<time>{last && timeOf(last)}</time>}>
      <span class="kind">{kind}</span>
      {stages && (
        <span class="track" aria-hidden="true">
          {stages.map((step) => (
            <i key={step} class={recorded.has(step) ? 'done' : ''} />
          ))}
        </span>
      )}
      <span class={tone}>{stages && tone === 'ok' ? stageWords(story) : words}</span>
      {entries.length > 1 && <span class="dim">{counted(entries.length, 'request')}</span>}
      {environment === 'production' && <span class="tag">production</span>}
    </Row>
  );
  return { key, content };
}

interface DetailProps {
  readonly story: Story | undefined;
  readonly isRevealing: boolean;
  readonly onBack: () => void;
}

export function Detail({ story, isRevealing, onBack }: DetailProps) {
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (place.current) place.current.scrollTop = 0;
  }, [story?.key]);
  return (
    <section class="card detail" id="detail" aria-labelledby="detail-title" tabIndex={-1} ref={place}>
      {story ? (
        <>
          <Head key={`head ${story.key}`} story={story} onBack={onBack} />
          {/* A new one opens its latest request, also once requests have replaced what was only known as recorded. */}
          <Timeline
            key={`${isRevealing} ${story.entries.some(({ earlier }) => earlier)} ${story.key}`}
            story={story}
            isRevealing={isRevealing}
          />
        </>
      ) : (
        <p class="none" id="detail-title">
          Choose a report to see its requests and answers.
        </p>
      )}
    </section>
  );
}

function Head({ story, onBack }: Pick<DetailProps, 'onBack'> & { readonly story: Story }) {
  const { title, kind, environment, entries } = story;
  const source = [...sourcesOf(story)].at(-1);
  return (
    <div class="head">
      <Button class="quiet back" onClick={onBack} words="← All reports" />
      <h2 id="detail-title">{title}</h2>
      <p class="sub">
        <span>{kind}</span>
        <Badge {...statusOf(story)} />
        {environment && <span class="tag">{environment}</span>}
      </p>
      <Facts
        of={[
          ['State', steps(story) && stageWords(story)],
          ['Location from', source && sourceWords(source)],
          ['Requests', grouped(entries.length)],
        ]}
      />
    </div>
  );
}

function Timeline({ story, isRevealing }: Pick<DetailProps, 'isRevealing'> & { readonly story: Story }) {
  const entries = story.entries.slice(-MOST_ENTRIES);
  const [first] = useState(entries.at(-1)?.id);
  const hasSources = sourcesOf(story).size > 1;
  return (
    <ol class="timeline">
      {entries.map((entry) => (
        <li key={entry.id} class={outcomeOf(entry).tone}>
          <Exchange entry={entry} isRevealing={isRevealing} opensNow={entry.id === first} hasSources={hasSources} />
        </li>
      ))}
    </ol>
  );
}

interface ExchangeProps {
  readonly entry: Entry;
  readonly isRevealing: boolean;
  readonly opensNow: boolean;
  readonly hasSources: boolean;
}

/** Its content is made when it is opened for the first time. */
function Exchange({ opensNow, ...props }: ExchangeProps) {
  const [wasOpened, setOpened] = useState(opensNow);
  const { entry } = props;
  return (
    <details open={opensNow} onToggle={() => setOpened(true)}>
      <summary>
        <span class="what">
          <b>{operationWords(entry)}</b>
          <Badge {...outcomeOf(entry)} />
        </span>
        <time>{timeOf(entry)}</time>
      </summary>
      {wasOpened && <Content {...props} />}
    </details>
  );
}

function Content({ entry, isRevealing, hasSources }: Omit<ExchangeProps, 'opensNow'>) {
  const { method, path, key, body, requestId, status, answer, fault, earlier, applied } = entry;
  const { note, revealed } = useRevealed(entry, isRevealing);
  const full = revealed ?? body;
  const source = sourceOf(entry);
  const line = toCurl(location.origin, { method, path, body: full });
  return (
    <>
      <Facts
        of={[
          ['Location from', hasSources && source && sourceWords(source)],
          ['Fault', fault?.replaceAll('-', ' ')],
          ['Key', key !== 'valid' && key],
          ['Recorded', !applied && 'no'],
          ['Request id', status !== undefined && requestId],
        ]}
      />
      {earlier && <p class="dim">The report is recorded, but its request is older than this log.</p>}
      <section>
        <h3>{earlier ? 'Report' : 'Request'}</h3>
        {!earlier && <p class="wire">{`${method} ${path}`}</p>}
        <div>{full === undefined ? <p class="dim">The body could not be read.</p> : <JsonView value={full} />}</div>
        <p class="note" hidden={note === undefined}>
          {note}
        </p>
      </section>
      {!earlier && (
        <>
          <section>
            <h3>Answer</h3>
            <p class="wire">
              {status === undefined
                ? 'No answer was sent: the connection broke, or the request is held back.'
                : `Status ${status}`}
            </p>
            {answer !== undefined && status !== undefined && <JsonView value={answer} />}
          </section>
          <section>
            <h3>Repeat with curl</h3>
            <CopyButton what="the curl command" text={line} />
            <pre class="line">{line}</pre>
            {JSON.stringify(full)?.includes('[masked]') && !isRevealing && (
              <p class="dim">Personal data is masked. Show it to copy a command that the gateway accepts.</p>
            )}
          </section>
        </>
      )}
    </>
  );
}

/** With its personal data, loaded on request alone. */
function useRevealed(entry: Entry, isRevealing: boolean) {
  const [shown, show] = useState<{ readonly note?: string; readonly revealed?: unknown }>({});
  useLayoutEffect(() => {
    if (!isRevealing || entry.body === undefined) return;
    if (!entry.applied)
      return show({
        note: 'Only recorded reports can be shown in full. The personal data of a refused request is not kept.',
      });
    show({ note: 'Loading the personal data…' });
    adminApi.revealed(entry).then(
      (revealed) =>
        show(revealed ? { note: 'This is personal data.', revealed } : { note: 'The report is no longer recorded.' }),
      () => show({ note: 'The personal data could not be loaded.' }),
    );
  }, [entry, isRevealing]);
  return shown;
}
