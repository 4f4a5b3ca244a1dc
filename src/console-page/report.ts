import { copyButton, pasteBlock } from '../kit/copy.js';
import { make } from '../kit/dom.js';
import { factsList } from '../kit/facts.js';
import { jsonView } from '../kit/json-view.js';
import { badge } from '../kit/mark.js';
import { createTimeline } from '../kit/timeline.js';
import type { ReportBody } from '../outbox/console/data.js';
import type { LifeAction, LifeEvent, ReportLife } from '../outbox/console/report-life.js';
import { decide, undo } from './decide.js';
import { askReason } from './decision-dialog.js';
import { eventContent, toneOf } from './life.js';
import { reportHash } from './report-row.js';
import { call } from './server.js';
import { type Page, slot, type View, viewElement } from './view.js';
import { operationWords, placeWords, standingOf, timeWords, VERBS } from './words.js';

/** One report: how it stands, its life, what can be decided about it, and the lines for the command line. */
export function createReport(page: Page, id: string): View {
  const head = make('div', { class: 'card pad' });
  const showHead = slot(head);
  const timeline = createTimeline();
  const actions = make('div');
  const showActions = slot(actions);
  const body = make('div');
  const showBody = slot(body);
  let reference = id;

  function show(report: ReportLife): void {
    const now = Date.now();
    ({ reference } = report);
    const { means, attempts, inDoubt, enqueuedAt, changedAt, dueAt, sibling, waitsFor, requestId, message, problem, fingerprint, state } = report;
    showHead([report.state, attempts, inDoubt, changedAt, dueAt, sibling?.state, problem, message], () => [
      make(
        'p',
        { class: 'sub' },
        make('span', {}, operationWords(report.operation)),
        badge(standingOf(state)),
        make('span', { class: 'tag' }, placeWords(report)),
      ),
      make('p', {}, means),
      factsList([
        ['Enqueued', timeWords(enqueuedAt, now)],
        ['Attempts', String(attempts)],
        ['Doubt', inDoubt && 'the gateway may hold it'],
        ['Next try', dueAt !== null && (dueAt <= now ? 'now, unless it is paused' : timeWords(dueAt, now))],
        ['Waits for', waitsFor !== null && make('a', { href: reportHash(waitsFor) }, waitsFor)],
        ['Problem', problem !== null && `${problem.code}${problem.status === null ? '' : `, HTTP ${problem.status}`}`],
        ['Gateway', message ?? undefined],
        ['Request', requestId ?? undefined],
        [sibling ? operationWords(sibling.operation) : '', sibling !== null && make('a', { href: reportHash(sibling.id) }, standingOf(sibling.state).words)],
        ['Fingerprint', make('span', { class: 'mono' }, fingerprint.slice(0, 16))],
      ]),
    ]);
    timeline.show(
      report.timeline.map((event, index) => ({
        key: `${index} ${event.kind}`,
        version: versionOf(event),
        tone: toneOf(event),
        content: () => eventContent(event, now),
      })),
    );
    showActions(report.actions, () => actionsOf(page, report));
    showBody(report.body, () => [bodyOf(report)]);
  }

  function bodyOf({ body: { kept, keyId } }: ReportLife): HTMLElement {
    const words = kept ? (keyId === null ? 'It is kept.' : `It is kept, encrypted with the key ${keyId}.`) : 'It is no longer kept, but its fingerprint is.';
    const button = kept && page.session.mayReadBodies && make('button', { type: 'button', click: () => readBody() }, 'Show the body…');
    return make('div', { class: 'body' }, make('p', { class: 'dim' }, words), button);
  }

  function readBody(): void {
    const decision = crypto.randomUUID();
    askReason({
      title: 'Show personal data?',
      text: 'The body of a report names the player. That you have seen it, and why, is kept as a decision.',
      verb: 'Show it',
      async run(reason) {
        const answer = await call<ReportBody>('body', { decision, id, reason });
        const hide = make('button', { type: 'button', click: () => seen.replaceWith(bodyButton) }, 'Hide it');
        const bodyButton = body.firstElementChild ?? make('div');
        const seen = make('div', { class: 'body' }, make('p', { class: 'note' }, 'This is personal data.'), jsonView(parsed(answer.body)), hide);
        bodyButton.replaceWith(seen);
      },
    });
  }

  return {
    get title() {
      return reference;
    },
    back: 'history',
    element: viewElement(
      'Report',
      make(
        'h3',
        { class: 'reference' },
        make('span', { class: 'mono' }, id),
        copyButton('Copy the id', () => id, page.announce),
      ),
      head,
      make('section', { class: 'card pad', 'aria-label': 'Decide' }, make('h3', {}, 'Decide'), actions),
      make('section', { class: 'card pad', 'aria-label': 'History' }, make('h3', {}, 'History'), timeline.element),
      make('section', { class: 'card pad', 'aria-label': 'Body' }, make('h3', {}, 'Body'), body),
    ),
    update: async () => show(await call<ReportLife>('report', { id })),
  };
}

const versionOf = (event: LifeEvent): string => JSON.stringify(event);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function actionsOf(page: Page, report: ReportLife): HTMLElement[] {
  const { actions } = report;
  if (actions.length === 0) return [make('p', { class: 'dim' }, 'Nothing: it goes its way by itself, or it is final.')];
  const warnings = [...new Set(actions.flatMap(({ warning }) => (warning === null ? [] : [warning])))];
  return [
    ...(page.session.mayAct ? [make('div', { class: 'actions' }, ...actions.map((action) => buttonOf(page, action, report)))] : []),
    ...warnings.map((warning) => make('p', { class: 'note' }, warning)),
    ...actions.flatMap(({ action, command }) => (command === null ? [] : [pasteBlock(`the command line for: ${wordsOf(action)}`, command, page.announce)])),
  ];
}

const wordsOf = (action: LifeAction['action']): string => (action === 'undo' ? 'Undo…' : `${VERBS[action]}…`);

function buttonOf(page: Page, { action, decision }: LifeAction, { id, reference }: ReportLife): HTMLElement {
  const act = () => (action === 'undo' ? decision !== null && undo(page, decision, reference) : decide(page, action, { ids: [id] }, reference));
  return make('button', { type: 'button', class: action === 'retry' ? 'primary' : '', click: act }, wordsOf(action));
}
