import { walkThrough } from '../kit/list.js';
import { Button, EmptyState, Facts } from '../kit/parts.js';
import { counted, grouped } from '../kit/words.js';
import type { Selection } from '../outbox/operator/decision-log.js';
import type { Groups, ProblemGroup } from '../outbox/operator/groups.js';
import type { ReportSummary } from '../outbox/operator/reports.js';
import type { SearchPage } from '../outbox/operator/search.js';
import type { ProblemKey } from '../outbox/store/operator-store.js';
import { call } from './calls.js';
import { decide } from './decide.js';
import { keyOf } from './problem-groups.js';
import { createViewElement, type Page, ReportRow, reportHash, type View } from './view.js';
import { DECISIONS, placeWords, timeWords } from './words.js';

export function createGroup(page: Page, group: ProblemKey): View {
  const { mayAct } = page.session;
  const { account, environment, code } = group;
  const chosen = new Set<string>();
  let found: ProblemGroup | undefined;
  let reports: readonly ReportSummary[] = [];
  let next: string | null = null;
  let now = 0;
  /** The number of reports in the group when its rows were read. */
  let readOf: number | undefined;
  let isStale = false;

  const { element, draw } = createViewElement(group.words || code, content);

  function content() {
    if (readOf === undefined) return null;
    const count = found?.count ?? 0;
    const buttons = (words: 'all' | 'verb', selection: Selection, many: number, what: string) => (
      <div class="actions">
        {(['retry', 'recorded', 'dismissed'] as const).map((action) => (
          <Button
            key={action}
            class={action === 'retry' ? 'primary' : ''}
            disabled={many === 0}
            onClick={() => decide(page, action, selection, what)}
            words={`${DECISIONS[action][words]}…`}
          />
        ))}
      </div>
    );
    return (
      <>
        <p>
          <a class="back" href="#/person">
            ← All groups
          </a>
        </p>
        <div class="card pad">
          <div>
            <Facts
              of={[
                ['Reports', grouped(count)],
                ['Problem', found?.status ? `${code}, HTTP ${found.status}` : code],
                ['Where', placeWords(group)],
                ['First seen', found && timeWords(found.firstAt, now)],
                ['Last seen', found && timeWords(found.lastAt, now)],
              ]}
            />
          </div>
          {mayAct && buttons('all', { group }, count, `all ${grouped(count)}`)}
        </div>
        <section class="card" aria-label="Reports of this group">
          {mayAct && (
            <div class="fresh">
              <span class="dim" role="status">
                {chosen.size === 0 ? 'None selected' : `${grouped(chosen.size)} selected`}
              </span>
              {buttons('verb', { ids: [...chosen] }, chosen.size, counted(chosen.size, 'report'))}
            </div>
          )}
          {count === 0 && (
            <EmptyState title="No report is left in this group">
              <p>All of them are decided.</p>
            </EmptyState>
          )}
          <ul class="list select">{reports.map(rowOf)}</ul>
          <Button class="quiet" words="Show more" hidden={next === null} onClick={() => read()} />
        </section>
      </>
    );
  }

  function rowOf(report: ReportSummary) {
    const { id, reference } = report;
    return (
      <li key={id}>
        {mayAct && (
          <input
            type="checkbox"
            aria-label={`Select ${reference}`}
            checked={chosen.has(id)}
            onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
          />
        )}
        <a class="row-link" href={reportHash(id)}>
          <ReportRow report={report} now={now} isInGroup />
        </a>
      </li>
    );
  }

  function choose(id: string, isChosen: boolean): void {
    if (isChosen) chosen.add(id);
    else chosen.delete(id);
    draw();
  }

  async function read(fromStart = false): Promise<void> {
    const cursor = fromStart ? undefined : next;
    const answer = await call<SearchPage>('search', { state: 'quarantined', account, environment, group, cursor });
    if (fromStart) chosen.clear();
    reports = fromStart ? answer.reports : [...reports, ...answer.reports];
    next = answer.next;
    draw();
  }

  return {
    element,
    back: '#/person',
    async update() {
      const answer = await call<Groups>('groups', { account, environment });
      found = answer.groups.find((one) => keyOf(one) === keyOf(group));
      now = answer.now;
      const count = found?.count ?? 0;
      // The rows stay as they are until a decision changes them, or they are all decided elsewhere.
      if (readOf === undefined || (count === 0 && readOf > 0) || isStale) await read(true);
      readOf = count;
      isStale = false;
      draw();
    },
    walk: (by) => void walkThrough(element.querySelector('.list'), by),
    decided() {
      isStale = true;
    },
  };
}
