import type { ComponentChildren } from 'preact';
import type { AllQuarantined, DecisionPage, DecisionRecord } from '../../src/operator/decision-log.js';
import { Button, Card, EmptyState, Facts } from '../kit/parts.js';
import { counted, operationWords, partOf } from '../kit/words.js';
import { decisionHash, reportHash } from './addresses.js';
import { call, createTurns } from './calls.js';
import { undo } from './decide.js';
import { ChoiceField, InputField } from './fields.js';
import { createFinder, TimeFields } from './finder.js';
import { createReportList } from './report-list.js';
import { BackLink, type ConsolePage, createViewElement, type View } from './view.js';
import { ACTIONS, actions, placeWords, timeWords } from './words.js';

const FEW = 5;
const MANY = 50;

/** The list is read once, so that it does not move. */
export function createLatestDecisions(page: ConsolePage, draw: () => void) {
  let read: readonly DecisionRecord[] = [];
  let shown = FEW;
  let next: string | null = null;
  const inTurn = createTurns();

  const load = () =>
    inTurn(async () => {
      ({ decisions: read, next } = await call<DecisionPage>('decisions'));
      shown = FEW;
      draw();
    });

  const showMore = () =>
    inTurn(async () => {
      if (shown >= read.length && next !== null) {
        const answer = await call<DecisionPage>('decisions', { before: next });
        read = [...read, ...answer.decisions];
        next = answer.next;
      }
      shown += MANY;
      draw();
    });

  const content = () => (
    <Card title="Decisions">
      <DecisionList page={page} of={read.slice(0, shown)} none="No decision yet." />
      <Button class="quiet" words="Show older ones" hidden={shown >= read.length && next === null} onClick={showMore} />
    </Card>
  );
  return { load, content };
}

export const createDecisions = (page: ConsolePage): View =>
  createFinder<DecisionPage, DecisionRecord>({
    title: 'Decisions',
    name: 'decisions',
    cursor: 'before',
    fields: (
      <>
        <InputField
          label="Person"
          type="search"
          spellcheck={false}
          name="who"
          placeholder="a part of the name"
          maxLength={200}
        />
        <ChoiceField label="Decision" name="action" of={[['', 'all'], ...actions]} />
        <TimeFields from="From" />
      </>
    ),
    verb: 'Find',
    more: 'Show older ones',
    itemsOf: ({ decisions }) => decisions,
    content: (found, _, isNone) => (
      <div class="pad">
        <DecisionList page={page} of={found} none={isNone && 'No decision fits.'} />
      </div>
    ),
    isLive: true,
  });

interface DecisionListProps {
  readonly page: ConsolePage;
  readonly of: readonly DecisionRecord[];
  readonly none: string | false;
}

const DecisionList = ({ page, of, none }: DecisionListProps) => (
  <ul class="decisions">
    {of.map((decision) => (
      <li key={decision.id}>
        <div>
          <a href={decisionHash(decision.id)}>{titleOf(decision)}</a>
          <p>{decision.reason}</p>
          <p class="dim">{factsOf(decision)}</p>
        </div>
        <Continue page={page} decision={decision} />
      </li>
    ))}
    {of.length === 0 && none && <li class="dim">{none}</li>}
  </ul>
);

const titleOf = ({ action, touched, skipped }: DecisionRecord): string =>
  action === 'body' || action === 'erase' || action === 'resume'
    ? ACTIONS[action]
    : `${ACTIONS[action]}: ${partOf(touched, touched + skipped)}`;

function factsOf({ at, who, undoneBy, done }: DecisionRecord): string {
  const facts = [timeWords(at, Date.now()), `by ${who}`, undoneBy !== null && 'undone', !done && 'interrupted'];
  return facts.filter(Boolean).join(', ');
}

interface ContinueProps {
  readonly page: ConsolePage;
  readonly decision: DecisionRecord;
}

/** The button of an undo that was interrupted. */
function Continue({ page, decision: { action, about, reason, done } }: ContinueProps) {
  if (!page.session.mayAct || action !== 'undo' || done || !('decision' in about)) return null;
  async function goOn({ decision: id }: { readonly decision: string }): Promise<void> {
    const [undone] = (await call<DecisionPage>('decisions', { id })).decisions;
    if (undone) undo(page, undone, reason);
  }
  return <Button onClick={() => void goOn(about)} words="Continue…" />;
}

export function createDecision(page: ConsolePage, id: string): View {
  let decision: DecisionRecord | undefined;
  let isUndoable = false;

  const { element, draw } = createViewElement('Decision', () => {
    const now = Date.now();
    const known = decision;
    return (
      <>
        <BackLink to="#/decisions" words="All decisions" />
        {known ? (
          <>
            <div class="card pad">
              <div>
                <p>
                  <b>{titleOf(known)}</b>
                </p>
                <p>{known.reason}</p>
                <Facts
                  of={[
                    ['When', timeWords(known.at, now)],
                    ['By', known.who],
                    ...aboutFacts(known.about),
                    ['Not touched', known.skipped > 0 && counted(known.skipped, 'report')],
                    [
                      'Undone',
                      known.undoneBy !== null && <a href={decisionHash(known.undoneBy)}>by another decision</a>,
                    ],
                    ['Interrupted', !known.done && 'it was not carried out to its end'],
                  ]}
                />
              </div>
              <div class="actions">
                <Continue page={page} decision={known} />
                {page.session.mayAct && isUndoable && (
                  <Button
                    onClick={() => undo(page, known, known.reason)}
                    words={known.action === 'dismissed' ? 'Reopen…' : 'Undo…'}
                  />
                )}
              </div>
            </div>
            <section class="card" aria-label="Reports of this decision" hidden={reports.isEmpty()}>
              {reports.content({ now })}
            </section>
          </>
        ) : (
          <div class="card">
            <EmptyState title="The outbox has no such decision">
              <p>It is about accounts that are not shown here, or its address is not complete.</p>
            </EmptyState>
          </div>
        )}
      </>
    );
  });

  const reports = createReportList({ decision: id }, draw);

  return {
    element,
    back: 'history',
    async update(_, isChanged) {
      // A worker may have taken its reports since.
      if (!isChanged && !isUndoable) return;
      const answer = await call<DecisionPage>('decisions', { id });
      [decision] = answer.decisions;
      isUndoable = answer.isUndoable === true;
      if (decision && isChanged) await reports.read();
      draw();
    },
  };
}

const MOST_NAMED = 5;

function aboutFacts(about: DecisionRecord['about']): [name: string, value: ComponentChildren][] {
  if ('ids' in about) return [['Reports', <Names of={about.ids} />]];
  const except = 'except' in about && about.except ? <Names of={about.except} /> : undefined;
  if ('decision' in about)
    return [
      ['About', <a href={decisionHash(about.decision)}>another decision</a>],
      ['Except', except],
    ];
  if ('group' in about) {
    const { words, code } = about.group;
    return [
      ['Group', words || code],
      ['Where', placeWords(about.group)],
    ];
  }
  const where: AllQuarantined['all'] = 'all' in about ? about.all : about;
  const { account, environment, operation, code } = where;
  return [
    ['About', 'all' in about && 'all that needed a person'],
    ['Where', environment ? placeWords({ account: account ?? 'default', environment }) : account],
    ['Operation', operation && operationWords(operation)],
    ['Problem', code],
    ['File', 'file' in about && `SHA-256 ${about.file}`],
    ['Except', except],
  ];
}

const Names = ({ of }: { readonly of: readonly string[] }) => (
  <>
    {of.slice(0, MOST_NAMED).map((id, index) => (
      <>
        {index > 0 && ', '}
        <a href={reportHash(id)}>{id.split(':').slice(3).join(':')}</a>
      </>
    ))}
    {of.length > MOST_NAMED && ` and ${counted(of.length - MOST_NAMED, 'other')}`}
  </>
);
