import type { ComponentChildren } from 'preact';
import type { ReportBody } from '../../src/operator/body.js';
import type { DecisionPage, DecisionRecord } from '../../src/operator/decision-log.js';
import type { OfferedAction, ReportDetails, TimelineEvent } from '../../src/operator/report-details.js';
import type { ShownProblem } from '../../src/operator/reports.js';
import { Badge, Button, Card, CopyButton, Facts, JsonView, PasteBlock, type Tone } from '../kit/parts.js';
import { grouped, operationWords } from '../kit/words.js';
import { decisionHash, reportHash } from './addresses.js';
import { call } from './calls.js';
import { decide, reopen, undo } from './decide.js';
import { type ConsolePage, createViewElement, type View } from './view.js';
import { DECISIONS, duration, placeWords, problemWords, statusOf, timeWords } from './words.js';

export function createReport(page: ConsolePage, id: string): View {
  let report: ReportDetails | undefined;
  /** The latest decision about it, if that can be undone. */
  let latest: DecisionRecord | undefined;
  let body: string | undefined;

  const { element, draw } = createViewElement('Report', () => {
    const now = Date.now();
    return (
      report && (
        <>
          <h3 class="reference">
            <span class="mono">{id}</span>
            <CopyButton what="the id" text={id} />
          </h3>
          <div class="card pad">
            <Head report={report} now={now} />
          </div>
          <Card title="Decide">
            <div>
              <Actions page={page} report={report} latest={latest} />
            </div>
          </Card>
          <Card title="History">
            <ol class="timeline">
              {report.timeline.map((event, index) => (
                <Event key={`${index} ${event.kind}`} at={event.at} {...shownOf(event, now)} now={now} />
              ))}
            </ol>
          </Card>
          <Card title="Body">
            <div>
              {body === undefined ? (
                <BodyNote {...report.body} onRead={page.session.mayReadBodies && readBody} />
              ) : (
                <div class="body">
                  <p class="note">This is personal data.</p>
                  <JsonView value={parsed(body)} />
                  <Button onClick={() => showBody(undefined)} words="Hide it" />
                </div>
              )}
            </div>
          </Card>
        </>
      )
    );
  });

  function showBody(text: string | undefined): void {
    body = text;
    draw();
  }

  const readBody = () =>
    page.ask({
      title: 'Show personal data?',
      text: 'The body of a report names the player. That you have seen it, and why, is kept as a decision.',
      verb: 'Show it',
      async run(why) {
        showBody((await call<ReportBody>('body', { ...why, id })).body);
        return undefined;
      },
    });

  return {
    element,
    back: 'history',
    async update() {
      const read = await call<ReportDetails>('report', { id });
      const decision = read.actions.find(({ action }) => action === 'undo')?.decision;
      if (decision !== latest?.id) latest = await readUndoable(decision);
      report = read;
      draw();
    },
  };
}

async function readUndoable(id: string | null | undefined): Promise<DecisionRecord | undefined> {
  const page = id ? await call<DecisionPage>('decisions', { id }) : undefined;
  return page?.isUndoable ? page.decisions[0] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function Head({ report, now }: { readonly report: ReportDetails; readonly now: number }) {
  const { means, attempts, inDoubt, enqueuedAt, dueAt, sibling, waitsFor, requestId, message, problem } = report;
  const linkTo = (other: string, words: string) => <a href={reportHash(other)}>{words}</a>;
  return (
    <>
      <p class="sub">
        <span>{operationWords(report.operation)}</span>
        <Badge {...statusOf(report.state)} />
        <span class="tag">{placeWords(report)}</span>
      </p>
      <p>{means}</p>
      <Facts
        of={[
          ['Enqueued', timeWords(enqueuedAt, now)],
          ['Attempts', String(attempts)],
          ['Doubt', inDoubt && 'the gateway may hold it'],
          ['Next try', dueAt !== null && (dueAt <= now ? 'now, unless it is paused' : timeWords(dueAt, now))],
          ['Waits for', waitsFor !== null && linkTo(waitsFor, waitsFor)],
          ['Problem', problem && problemWords(problem.code, problem.status)],
          ['Gateway', message],
          ['Request', requestId],
          [
            sibling ? operationWords(sibling.operation) : '',
            sibling && linkTo(sibling.id, statusOf(sibling.state).words),
          ],
          ['Fingerprint', <span class="mono">{report.fingerprint.slice(0, 16)}</span>],
        ]}
      />
    </>
  );
}

interface ActionsProps {
  readonly page: ConsolePage;
  readonly report: ReportDetails;
  readonly latest: DecisionRecord | undefined;
}

interface Offer {
  readonly verb: string;
  /** The command line that does the same. */
  readonly command: string;
  readonly words: string;
  readonly isPrimary?: boolean;
  run(): void;
}

function Actions({ page, report, latest }: ActionsProps) {
  const { id, reference, actions } = report;
  if (actions.length === 0) return <p class="dim">No decision is needed: it will be sent, or it is final.</p>;
  const warnings = new Set(actions.map(({ warning }) => warning));
  const replace = actions.find(({ action }) => action === 'replaced');
  const offers = actions.flatMap((one) => offerOf(one) ?? []);

  /** A dismissal of one report is reopened, which is the same as to undo it. */
  function offerOf({ action, command }: OfferedAction): Offer | undefined {
    if (isDecided(action)) {
      const { verb } = DECISIONS[action];
      const run = () => decide(page, action, { ids: [id] }, reference);
      return { verb, command, words: `${verb}…`, isPrimary: action === 'retry' && !replace, run };
    }
    if (action === 'reopened')
      return { verb: 'Reopen', command, words: 'Reopen…', isPrimary: true, run: () => reopen(page, id, reference) };
    if (action !== 'undo' || !latest || (latest.action === 'dismissed' && latest.touched < 2)) return undefined;
    const words = latest.action === 'dismissed' ? `Reopen all ${grouped(latest.touched)}…` : 'Undo…';
    const run = () => undo(page, latest, latest.reason);
    return {
      verb: `${latest.action === 'dismissed' ? 'Reopen' : 'Undo'} all reports of its decision`,
      command,
      words,
      run,
    };
  }

  return (
    <>
      {page.session.mayAct && (
        <div class="actions">
          {offers.map(({ verb, words, isPrimary, run }) => (
            <Button key={verb} class={isPrimary ? 'primary' : ''} onClick={run} words={words} />
          ))}
        </div>
      )}
      {[...warnings].map((warning) => warning && <p class="note">{warning}</p>)}
      {offers.map(({ verb, command }) => (
        <PasteBlock key={verb} what={`the command line for: ${verb}`} text={command} />
      ))}
      {replace && (
        <>
          <p class="dim">
            Is its data wrong? Write the corrected data to a file, and send it in place of the stored data:
          </p>
          <PasteBlock what="the command line for: Replace" text={replace.command} />
        </>
      )}
    </>
  );
}

const isDecided = (action: OfferedAction['action']): action is keyof typeof DECISIONS =>
  Object.hasOwn(DECISIONS, action);

function BodyNote({ kept, keyId, onRead }: ReportDetails['body'] & { readonly onRead: (() => void) | false }) {
  const how = keyId === null ? 'It is kept.' : `It is kept, encrypted with the key ${keyId}.`;
  return (
    <div class="body">
      <p class="dim">{kept ? how : 'It is no longer kept, but its fingerprint is.'}</p>
      {kept && onRead && <Button onClick={onRead} words="Show the body…" />}
    </div>
  );
}

const VERDICTS = {
  retry: 'decided: send it again',
  recorded: 'declared it recorded',
  dismissed: 'dismissed it',
  reopened: 'reopened it',
  replaced: 'replaced its data',
} as const;

interface ShownEvent {
  readonly tone: Tone;
  readonly words: string;
  readonly more?: ComponentChildren;
}

function shownOf(event: TimelineEvent, now: number): ShownEvent {
  switch (event.kind) {
    case 'enqueued':
      return { tone: 'repeat', words: 'Enqueued' };
    case 'attempt':
      return { tone: 'bad', words: 'An attempt failed', more: <Problem {...event.problem} /> };
    case 'in-flight': {
      const more = <p class="dim">{`Another worker may take it in ${duration(event.until - now)}.`}</p>;
      return { tone: 'doubt', words: 'A worker has it', more: event.until > now && more };
    }
    case 'doubt':
      return { tone: 'doubt', words: 'In doubt: the gateway may hold it' };
    case 'paused': {
      const { message, reason } = event.pause;
      return { tone: 'doubt', words: 'Its destination is paused', more: <p>{message ?? reason}</p> };
    }
    case 'decided': {
      const { who, action, reason, decision, undone } = event;
      const more = (
        <>
          {reason && <p>{reason}</p>}
          {decision !== null && (
            <a class="back" href={decisionHash(decision)}>
              The whole decision
            </a>
          )}
          {undone && <p class="note">{`Undone by ${undone.who}, ${timeWords(undone.at, now)}: ${undone.reason}`}</p>}
        </>
      );
      return { tone: 'repeat', words: `${who ?? 'A program'} ${VERDICTS[action]}`, more };
    }
    case 'quarantined':
      return { tone: 'bad', words: 'Needs a person' };
    case 'ended': {
      const { tone, words } = statusOf(event.state);
      return { tone, words, more: event.requestId && <p class="mono">{event.requestId}</p> };
    }
    case 'receipt': {
      const words = event.index === null ? 'Its receipt follows' : `Entry ${event.index} in the log of receipts`;
      return { tone: 'ok', words, more: event.hash && <p class="mono">{event.hash}</p> };
    }
  }
}

function Problem({ code, message, status, requestId, details }: ShownProblem) {
  const facts = [problemWords(code, status), requestId !== null && `request ${requestId}`];
  return (
    <>
      <p>{message}</p>
      <p class="dim">{facts.filter(Boolean).join(', ')}</p>
      {details !== null && <pre>{details}</pre>}
    </>
  );
}

interface EventProps extends ShownEvent, Pick<TimelineEvent, 'at'> {
  readonly now: number;
}

const Event = ({ at, tone, words, more, now }: EventProps) => (
  <li class={tone}>
    <div class="event">
      <b>{words}</b>
      <time>{at !== null && timeWords(at, now)}</time>
    </div>
    <div class="event-more">{more}</div>
  </li>
);
