import { type ComponentChildren, render } from 'preact';
import type { ConsoleSession } from '../console/answers.js';
import { type Item, Row } from '../kit/list.js';
import { Button, EmptyState } from '../kit/parts.js';
import { operationWords } from '../kit/words.js';
import type { Overview } from '../outbox/operator/overview.js';
import type { ReportSummary } from '../outbox/operator/reports.js';
import { CallError, messageOf } from './calls.js';
import { placeWords, statusOf, timeWords } from './words.js';

/** A question that a person answers before something is changed. */
export interface Asked {
  readonly title: string;
  readonly text: string;
  readonly verb: string;
  readonly isFinal?: boolean;
  readonly preview?: ComponentChildren;
  readonly reason?: string;
  /** Called with the reason. `tell` shows the progress; `stop` is aborted when the person cancels. */
  run(reason: string, tell: (words: string) => void, stop: AbortSignal): Promise<void>;
}

export interface Page {
  readonly session: ConsoleSession;
  ask(asked: Asked): void;
  /** Shows a line at the foot of the page until it is closed, with a button if there is something to do about it. */
  notice(text: string, action?: { readonly words: string; run(): void }): void;
  go(hash: string): void;
  /** After a decision: the open view reads its data at once. */
  refresh(): void;
}

/** A view of the page. It keeps its element while another view is open, so that the way back finds it unchanged. */
export interface View {
  readonly element: HTMLElement;
  /** Whether it can be used before its data are there. */
  readonly isReady?: boolean;
  /** The view to which Escape leads: an address, or the one before it in the history. */
  readonly back?: string;
  /** Reads its data and shows them. The page calls it every few seconds. */
  update(overview: Overview): Promise<void>;
  walk?(by: number): void;
  decided?(): void;
  /** Called when another view is opened: stops calls that are still running. */
  close?(): void;
}

export function createViewElement(title: string, content: () => ComponentChildren) {
  const element = document.createElement('section');
  element.className = 'view';
  element.setAttribute('aria-label', title);
  const draw = () =>
    render(
      <>
        <h2 class="title" tabIndex={-1}>
          {title}
        </h2>
        {content()}
      </>,
      element,
    );
  return { element, draw };
}

export const ErrorState = ({ error, again }: { readonly error: unknown; readonly again: () => void }) => (
  <EmptyState
    title={
      error instanceof CallError && error.code === 'store'
        ? 'Needs a person: the store cannot be used'
        : 'This could not be loaded'
    }
  >
    <p role="alert">{messageOf(error)}</p>
    <Button class="again" onClick={again} words="Try again" />
  </EmptyState>
);

export const Field = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <label>
    <span>{label}</span>
    {children}
  </label>
);

export const fieldsOf = ({ currentTarget }: SubmitEvent): FormData =>
  new FormData(currentTarget instanceof HTMLFormElement ? currentTarget : undefined);

export const Options = ({ of }: { readonly of: readonly (readonly [value: string, words: string])[] }) => (
  <>
    {of.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </>
);

export const decisionHash = (id: string): string => `#/decisions/${id}`;

export const reportHash = (id: string): string => `#/report/${encodeURIComponent(id)}`;

interface ReportRowProps {
  readonly report: ReportSummary;
  readonly now: number;
  /** In a list of its group: leaves out what all of its reports have in common. */
  readonly isInGroup?: boolean;
}

export function ReportRow({ report, now, isInGroup = false }: ReportRowProps) {
  const { reference, operation, state, inDoubt, enqueuedAt, problem } = report;
  const { tone, words } = statusOf(state);
  return (
    <Row tone={tone} title={reference} end={<time>{timeWords(enqueuedAt, now)}</time>}>
      <span>{operationWords(operation)}</span>
      {!isInGroup && <span class={tone}>{words}</span>}
      {!isInGroup && state !== 'recorded' && problem && <span>{problem.code}</span>}
      {inDoubt && <span class="doubt">in doubt</span>}
      {!isInGroup && <span class="tag">{placeWords(report)}</span>}
    </Row>
  );
}

export const reportItem = (report: ReportSummary, now: number): Item => ({
  key: report.id,
  content: <ReportRow report={report} now={now} />,
});
