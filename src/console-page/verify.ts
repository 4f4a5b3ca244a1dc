import { make } from '../kit/dom.js';
import { badge } from '../kit/mark.js';
import type { VerifyStep } from '../outbox/console/data.js';
import { call, callLines, messageOf } from './server.js';
import { counted, grouped } from './words.js';

interface Head {
  readonly head: { readonly count: number; readonly hash: string } | null;
}

/** The log of receipts: how far it reaches, and whether it is as it was written. */
export function createVerify() {
  const head = make('p', {}, '…');
  const noted = make('input', {
    type: 'text',
    name: 'head',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '64',
    placeholder: 'a hash that you noted elsewhere',
  });
  const progress = make('progress', { max: '1', value: '0', hidden: true, 'aria-label': 'How far the log is checked' });
  const said = make('p', { role: 'status' });
  const start = make('button', { type: 'submit', class: 'primary' }, 'Check the log');
  const stop = make('button', { type: 'button', hidden: true, click: () => stopping?.abort() }, 'Stop');
  let stopping: AbortController | undefined;

  const form = make(
    'form',
    { class: 'inline', submit: (event) => void check(event) },
    make('label', {}, make('span', {}, 'Head to find in it'), noted),
    start,
    stop,
  );

  function show(step: VerifyStep): void {
    if (step.kind === 'progress') {
      progress.max = Math.max(1, step.of);
      progress.value = step.done;
      said.textContent = `${grouped(step.done)} of ${counted(step.of, 'entry', 'entries')} checked`;
      return;
    }
    const { valid, count, afterHead, break: found } = step.verdict;
    const after = afterHead === undefined || afterHead === 0 ? '' : ` ${counted(afterHead, 'entry follows', 'entries follow')} the head that you noted.`;
    if (valid) said.replaceChildren(badge({ tone: 'ok', words: `All ${counted(count, 'entry is', 'entries are')} as they were written.${after}` }));
    else said.replaceChildren(badge({ tone: 'bad', words: `Line ${found?.line ?? count + 1}: ${found?.message ?? 'it does not hold together'}` }));
  }

  async function check(event: Event): Promise<void> {
    event.preventDefault();
    if (stopping) return;
    stopping = new AbortController();
    const { signal } = stopping;
    progress.hidden = stop.hidden = false;
    start.disabled = true;
    said.textContent = 'Checking…';
    try {
      for await (const step of callLines<VerifyStep>('verify', { head: noted.value.trim() || undefined }, signal)) show(step);
    } catch (error) {
      said.textContent = signal.aborted ? 'Stopped.' : messageOf(error);
    }
    progress.hidden = stop.hidden = true;
    start.disabled = false;
    stopping = undefined;
  }

  return {
    element: make('section', { class: 'card pad', 'aria-label': 'Log of receipts' }, make('h3', {}, 'Log of receipts'), head, form, progress, said),
    async update(): Promise<void> {
      const { head: reached } = await call<Head>('head');
      head.replaceChildren(
        ...(reached
          ? [`${counted(reached.count, 'entry', 'entries')}; head `, make('span', { class: 'mono' }, reached.hash)]
          : ['It is empty: no report is final yet.']),
      );
    },
    close: () => stopping?.abort(),
  };
}
