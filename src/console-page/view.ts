import type { ConsoleSession } from '../console/session.js';
import { make } from '../kit/dom.js';
import { emptyState } from '../kit/empty.js';
import type { Overview } from '../outbox/console/overview.js';
import { CallError, messageOf } from './server.js';

/** Shared by the views. */
export interface Page {
  readonly session: ConsoleSession;
  /** For readers of the screen's words. */
  announce(text: string): void;
  /** A line at the foot of the page that stays until it is closed, with something to do about it. */
  notice(text: string, action?: { readonly words: string; run(): void }): void;
  /** Goes to another view. */
  go(hash: string): void;
  /** Something was decided: the present view asks for its data now, rather than with the next look. */
  refresh(): void;
}

/** One of the page's views, while it is shown. */
export interface View {
  readonly title: string;
  readonly element: HTMLElement;
  /** Whether it can be used before its data are there. */
  readonly isReady?: boolean;
  /** Asks the server and shows what it says; every few seconds, and again after an error. */
  update(overview: Overview): Promise<void>;
  /** Moves through the view's list. */
  walk?(by: number): void;
  /** The view to which Escape leads. */
  readonly back?: string;
  /** A decision of this page has changed something. */
  decided?(): void;
  /** Ends what still runs. */
  close?(): void;
}

/** A view's place with its heading. */
export const viewElement = (title: string, ...children: (Node | false)[]): HTMLElement =>
  make('section', { class: 'view', 'aria-label': title }, make('h2', { class: 'title', tabindex: '-1' }, title), ...children);

/** Stands where something could not be had, with a way to try again. */
export const errorState = (error: unknown, again: () => void): HTMLElement =>
  emptyState(
    error instanceof CallError && error.code === 'store' ? 'Needs a person: the store cannot be used' : 'This could not be loaded',
    make('p', { role: 'alert' }, messageOf(error)),
    make('button', { type: 'button', class: 'again', click: again }, 'Try again'),
  );

export const card = (title: string, ...children: (Node | string | false | undefined)[]): HTMLElement =>
  make('section', { class: 'card' }, make('h3', {}, title), ...children);

/** A place where all is shown anew each time; what is unchanged is left as it is, so that nothing under the pointer is replaced. */
export function slot(element: HTMLElement): (version: unknown, content: () => (Node | string)[]) => void {
  let shown: string | undefined;
  return (version, content) => {
    const text = JSON.stringify(version);
    if (text === shown) return;
    shown = text;
    element.replaceChildren(...content());
  };
}
