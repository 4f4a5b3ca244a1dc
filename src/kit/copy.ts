import { make } from './dom.js';

const SHOWN_MS = 1_500;

/** A button that copies a text, confirms it, and is then ready again. */
export function copyButton(label: string, text: () => string, announce: (text: string) => void, style = 'quiet'): HTMLButtonElement {
  const button: HTMLButtonElement = make(
    'button',
    {
      type: 'button',
      class: style,
      'aria-label': label,
      click: async () => {
        await navigator.clipboard.writeText(text());
        button.textContent = 'Copied';
        announce('Copied');
        setTimeout(() => {
          button.textContent = 'Copy';
        }, SHOWN_MS);
      },
    },
    'Copy',
  );
  return button;
}

/** A line to paste elsewhere, with its button. */
export const pasteBlock = (label: string, text: string, announce: (text: string) => void = () => {}): HTMLElement =>
  make(
    'div',
    { class: 'paste' },
    make('pre', { class: 'line' }, text),
    copyButton(`Copy ${label}`, () => text, announce, ''),
  );
