import { type Child, make } from './dom.js';

/** Stands where there is nothing to show, and says what to do, or that all is well. */
export const emptyState = (title: string, ...children: Child[]): HTMLElement => make('div', { class: 'empty' }, make('h3', {}, title), ...children);
