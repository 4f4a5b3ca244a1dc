import { byId, make } from '../kit/dom.js';

/** A line at the foot of the page. It covers nothing that can be pressed there before it came, and stays until it is closed. */
export function showNotice(text: string, action?: { readonly words: string; run(): void }): void {
  const place = byId('notice');
  const close = make('button', { type: 'button', class: 'quiet', 'aria-label': 'Close this message', click: hide }, '×');
  const act =
    action &&
    make(
      'button',
      {
        type: 'button',
        click() {
          hide();
          action.run();
        },
      },
      action.words,
    );
  place.replaceChildren(make('p', { role: 'status' }, text), ...(act ? [act] : []), close);
  place.hidden = false;

  function hide(): void {
    place.hidden = true;
  }
}
