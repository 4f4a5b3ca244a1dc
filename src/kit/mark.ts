import { draw, make } from './dom.js';

/** The tone of a state: each has a colour, a shape and words. */
export type Tone = 'ok' | 'doubt' | 'repeat' | 'bad';

/** A state: its tone and its words. */
export interface Standing {
  readonly tone: Tone;
  readonly words: string;
}

/** Each tone has its own shape, since not every reader sees colours. */
const SHAPES: Readonly<Record<Tone, string>> = {
  ok: 'M4.5 8.4 7 10.8l4.6-5.6',
  doubt: 'M8 4.2v4.6M8 11.4v.4',
  repeat: 'M5 6.4h6M5 9.6h6',
  bad: 'm5.4 5.4 5.2 5.2m0-5.2-5.2 5.2',
};

export const markOf = (tone: Tone): SVGElement =>
  draw(
    'svg',
    { class: `mark ${tone}`, viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    draw('circle', { cx: '8', cy: '8', r: '7.5' }),
    draw('path', { d: SHAPES[tone] }),
  );

export const badge = ({ tone, words }: Standing): HTMLElement => make('span', { class: `badge ${tone}` }, markOf(tone), words);
