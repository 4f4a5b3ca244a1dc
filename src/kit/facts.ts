import { type Child, make } from './dom.js';

/** Names and values. Names without a value are left out. */
export const factsList = (facts: readonly (readonly [name: string, value: Child])[]): HTMLElement =>
  make('dl', {}, ...facts.filter(([, value]) => value).map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))));

/** A section with its own heading. */
export const section = (title: string, ...children: Child[]): HTMLElement => make('section', {}, make('h3', {}, title), ...children);
