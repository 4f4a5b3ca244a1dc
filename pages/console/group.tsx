import type { Selection } from '../../src/operator/decision-log.js';
import type { Groups, ProblemGroup } from '../../src/operator/groups.js';
import type { Preview } from '../../src/operator/preview.js';
import type { ReportSummary } from '../../src/operator/reports.js';
import type { ProblemKey } from '../../src/outbox/store/operator-store.js';
import { Button, Dialog, EmptyState, Facts, PasteBlock } from '../kit/parts.js';
import { counted, grouped } from '../kit/words.js';
import { call } from './calls.js';
import { decide } from './decide.js';
import { keyOf } from './problem-groups.js';
import { createReportList } from './report-list.js';
import { BackLink, type ConsolePage, createViewElement, type View } from './view.js';
import { DECISIONS, placeWords, problemWords, timeWords } from './words.js';

const NOT_HELD = ['retry', 'dismissed'] as const;
const VERDICTS = ['retry', 'recorded', 'dismissed'] as const;

export function createGroup(page: ConsolePage, group: ProblemKey): View {
  const { mayAct } = page.session;
  const { account, environment, code } = group;
  const chosen = new Set<string>();
  let found: ProblemGroup | undefined;
  let now = 0;
  let readOf = 0;
  /** Its reports that the gateway may hold. */
  let recordable = 0;
  let isCorrecting = false;

  const { element, draw } = createViewElement(group.words || code, content);
  const reports = createReportList({ state: 'quarantined', account, environment, group }, draw);

  function content() {
    const count = found?.count ?? 0;
    const buttons = (words: 'all' | 'verb', selection: Selection, many: number, what: string) => (
      <div class="actions">
        {words === 'all' && found?.correction && (
          <Button class="primary" onClick={() => showCorrection(true)} words="Correct from a file…" />
        )}
        {(recordable > 0 ? VERDICTS : NOT_HELD).map((action) => (
          <Button
            key={action}
            class={action === 'retry' && !found?.correction ? 'primary' : ''}
            disabled={many === 0}
            onClick={() => decide(page, action, selection, what)}
            words={`${DECISIONS[action][words]}…`}
          />
        ))}
      </div>
    );
    return (
      <>
        <BackLink to="#/person" words="All groups" />
        {isCorrecting && found?.correction && (
          <Correction command={found.correction} onClosed={() => showCorrection(false)} />
        )}
        <div class="card pad">
          <div>
            <Facts
              of={[
                ['Reports', grouped(count)],
                ['Problem', problemWords(code, found?.status ?? null)],
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
          {reports.content({ now, count, isInGroup: true, before: mayAct ? boxOf : undefined })}
        </section>
      </>
    );
  }

  function showCorrection(isShown: boolean): void {
    isCorrecting = isShown;
    draw();
  }

  const boxOf = ({ id, reference }: ReportSummary) => (
    <input
      type="checkbox"
      aria-label={`Select ${reference}`}
      checked={chosen.has(id)}
      onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
    />
  );

  function choose(id: string, isChosen: boolean): void {
    if (isChosen) chosen.add(id);
    else chosen.delete(id);
    draw();
  }

  return {
    element,
    back: '#/person',
    async update(_, isChanged) {
      const answer = await call<Groups>('groups', { account, environment });
      found = answer.groups.find((one) => keyOf(one) === keyOf(group));
      now = answer.now;
      const count = found?.count ?? 0;
      // The rows stay as they are until a decision changes them, or they are all decided elsewhere.
      if (isChanged || (count === 0 && readOf > 0)) {
        recordable = (await call<Preview>('preview', { selection: { group }, action: 'recorded' })).count;
        await reports.read();
        chosen.clear();
      }
      readOf = count;
      draw();
    },
  };
}

/** The page takes no file: the corrected data is personal, and stays where the command runs. */
const Correction = ({ command, onClosed }: { readonly command: string; readonly onClosed: () => void }) => (
  <Dialog
    title="Correct from a file"
    text="Write the corrected reports into one file: CSV, or NDJSON with a report on each line, each with its operation. Without a location, the stored one stays. Add wrong settlements, which are replaced first, and the wrong reports that were never sent."
    onClosed={onClosed}
  >
    {(close) => (
      <>
        <p>The dry run counts what would change, and names the fields that differ:</p>
        <PasteBlock what="the command line for: dry run" text={command} />
        <p>Then replace them. Refused reports that are not in the file are not sent again:</p>
        <PasteBlock what="the command line for: Correct" text={command.replace(' --dry-run', '')} />
        <div class="row">
          <Button class="primary" onClick={close} words="Close" />
        </div>
      </>
    )}
  </Dialog>
);
