export interface Commands {
  walk(by: number): void;
  search(): void;
  back(): void;
}

/** The keyboard shortcuts of the page. In an input field only Escape is a shortcut. */
export function listenToKeys({ walk, search, back }: Commands): void {
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const isWriting = target.matches('input, select, textarea');
    const inList = target.closest('#list') !== null;
    const command =
      key === 'Escape'
        ? back
        : isWriting
          ? key === 'ArrowDown' && target.matches('input')
            ? () => walk(0)
            : undefined
          : key === '/'
            ? search
            : key === 'j' || (inList && key === 'ArrowDown')
              ? () => walk(1)
              : key === 'k' || (inList && key === 'ArrowUp')
                ? () => walk(-1)
                : inList && key === 'Home'
                  ? () => walk(-Infinity)
                  : inList && key === 'End'
                    ? () => walk(Infinity)
                    : undefined;
    if (!command) return;
    event.preventDefault();
    command();
  });
}
