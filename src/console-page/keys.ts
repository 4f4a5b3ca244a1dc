import { TABS } from './route.js';

export interface Commands {
  walk(by: number): void;
  go(hash: string): void;
  back(): void;
  search(): void;
}

/** The keys of the whole page. In a field only Escape is a command; in a dialog, none. */
export function listenToKeys({ walk, go, back, search }: Commands): void {
  addEventListener('keydown', (event) => {
    const { key } = event;
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const isWriting = target.matches('input:not([type=checkbox]), select, textarea');
    const inList = target.closest('.list') !== null;
    const tab = TABS[Number(key) - 1];
    const command = commandOf();
    if (!command) return;
    event.preventDefault();
    command();

    function commandOf(): (() => void) | undefined {
      if (key === 'Escape') return isWriting ? () => target.blur() : back;
      if (isWriting) return undefined;
      if (tab) return () => go(tab);
      if (key === '/') return search;
      if (key === 'j' || (inList && key === 'ArrowDown')) return () => walk(1);
      if (key === 'k' || (inList && key === 'ArrowUp')) return () => walk(-1);
      return undefined;
    }
  });
}
