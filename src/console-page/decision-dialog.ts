import { openDialog } from '../kit/dialog.js';
import { type Child, make } from '../kit/dom.js';
import { messageOf } from './server.js';

/** A question that a person answers before something is changed. */
export interface Asked {
  readonly title: string;
  readonly text: string;
  /** The words of the button that does it. */
  readonly verb: string;
  /** Whether it cannot be undone. */
  readonly isFinal?: boolean;
  /** Stands between the text and the reason: a preview, a choice. */
  readonly more?: readonly Child[];
  /** A reason that is there already, and may be changed. */
  readonly reason?: string;
  /** Does it. `tell` says how far it is; `stop` is aborted where the person wants no more of it. */
  run(reason: string, tell: (words: string) => void, stop: AbortSignal): Promise<void>;
}

/** Asks for a reason, does it, and closes; where it failed, it says why and may be tried again. */
export function askReason({ title, text, verb, isFinal = false, more = [], reason = '', run }: Asked): void {
  const stopping = new AbortController();
  const input = make('textarea', { id: 'reason', rows: '2', maxlength: '2000', required: true, autofocus: true, 'aria-describedby': 'reason-note' });
  input.value = reason;
  const said = make('p', { class: 'said', role: 'status' });
  const yes = make('button', { type: 'submit', class: isFinal ? 'danger' : 'primary' }, verb);
  const no = make('button', { type: 'button', click: () => (yes.disabled ? stopping.abort() : dialog.close()) }, 'Cancel');
  const form = make(
    'form',
    { novalidate: true, submit: (event) => void submit(event) },
    ...more,
    make('label', { for: 'reason' }, 'Why?'),
    input,
    make('p', { class: 'dim', id: 'reason-note' }, 'Kept with the reports and in the log of receipts: name no player.'),
    said,
    make('div', { class: 'row' }, no, yes),
  );
  const dialog = openDialog(title, text, () => stopping.abort(), form);
  input.focus();

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    // A second press while it runs does nothing.
    if (yes.disabled) return;
    const why = input.value.trim();
    said.className = 'said';
    if (why === '') {
      said.textContent = 'Say why: those who ask later read it.';
      input.focus();
      return;
    }
    yes.disabled = true;
    no.textContent = 'Stop';
    try {
      await run(
        why,
        (words) => {
          said.textContent = words;
        },
        stopping.signal,
      );
      dialog.close();
    } catch (error) {
      said.textContent = messageOf(error);
      said.className = 'said bad';
      yes.textContent = 'Try again';
      yes.disabled = false;
      no.textContent = 'Cancel';
    }
  }
}
