import { type Child, make } from './dom.js';

/** A dialog that is open. */
export interface OpenDialog {
  readonly element: HTMLDialogElement;
  close(): void;
}

let count = 0;

/** Opens a dialog above the page; Escape closes it. It is gone once it is closed, and the focus is back where it was. */
export function openDialog(title: string, text: string, closed: () => void, ...children: Child[]): OpenDialog {
  count += 1;
  const [titleId, textId] = [`dialog-${count}-title`, `dialog-${count}-text`];
  const element = make(
    'dialog',
    { 'aria-labelledby': titleId, 'aria-describedby': textId },
    make('h2', { id: titleId }, title),
    make('p', { id: textId }, text),
    ...children,
  );
  element.addEventListener('close', () => {
    element.remove();
    closed();
  });
  document.body.append(element);
  element.showModal();
  return { element, close: () => element.close() };
}
