import { type ComponentChildren, render } from 'preact';
import type { ConsoleSession } from '../../src/http/console/answers.js';
import type { Who } from '../../src/operator/decision-log.js';
import type { Overview } from '../../src/operator/overview.js';
import { Button, EmptyState } from '../kit/parts.js';
import { CallError, messageOf } from './calls.js';

/** A question that a person answers before something is changed. */
export interface Asked {
  readonly title: string;
  readonly text: string;
  readonly verb: string;
  readonly isFinal?: boolean;
  readonly preview?: ComponentChildren;
  readonly reason?: string;
  /** Sends the decision. `tell` shows the progress; `stop` is aborted when the person cancels. */
  run(
    why: Pick<Who, 'decision' | 'reason'>,
    tell: (words: string) => void,
    stop: AbortSignal,
  ): Promise<Notice | undefined>;
}

/** A line about what was decided, with a button if there is something to do about it. */
export interface Notice {
  readonly text: string;
  readonly action?: { readonly words: string; run(): void } | undefined;
}

/** The page around a view. */
export interface ConsolePage {
  readonly session: ConsoleSession;
  ask(asked: Asked): void;
  go(hash: string): void;
}

/** It keeps its element while another view is open, so that the way back finds it unchanged. */
export interface View {
  readonly element: HTMLElement;
  /** Whether it can be used before its data are there. */
  readonly isReady?: boolean;
  /** The view to which Escape leads: an address, or the one before it in the history. */
  readonly back?: string;
  /**
   * Reads its data and shows them. The page calls it every few seconds. `isChanged`: a decision was made since it read
   * them, or it has read none yet.
   */
  update(overview: Overview, isChanged: boolean): Promise<void>;
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

export const BackLink = ({ to, words }: { readonly to: string; readonly words: string }) => (
  <p>
    <a class="back" href={to}>
      {`← ${words}`}
    </a>
  </p>
);

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
