import { make } from './dom.js';

const LONGEST = 20_000;
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** Formats JSON for reading, with names and masked values marked. Every character is inserted as text. */
export function jsonView(value: unknown): HTMLElement {
  const whole = JSON.stringify(value, undefined, 2) ?? '';
  const text = whole.length > LONGEST ? `${whole.slice(0, LONGEST)}\n…` : whole;
  const view = make('pre');
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [, quoted = '', colon] = match;
    view.append(text.slice(end, match.index), make('span', { class: colon ? 'name' : quoted === '"[masked]"' ? 'masked' : 'value' }, quoted), colon ?? '');
    end = match.index + match[0].length;
  }
  view.append(text.slice(end));
  return view;
}
