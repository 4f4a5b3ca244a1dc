/** Lines before addresses: to each, only so many requests are on their way at a time, and the others wait for their turn. */
export interface ConnectionQueue {
  /** Calls `begin` when its turn comes: at once, where there is room. */
  enter(address: string, begin: () => void): void;
  /** Takes out one that waits, whose turn then never comes. */
  leave(address: string, begin: () => void): void;
  /** Says that one which had begun is over. */
  free(address: string): void;
  /** Settles once nothing is on its way and nobody waits. */
  emptied(): Promise<void>;
}

interface Line {
  underWay: number;
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
  /** Whether it is about to be looked at who is next. */
  isServed: boolean;
}

export function createConnectionQueue(atATime: number): ConnectionQueue {
  const lines = new Map<string, Line>();
  let tellEmptied: (() => void)[] = [];

  /** Lets in whoever is next, while there is room. */
  const serve = (address: string, line: Line) => {
    line.isServed = false;
    for (const begin of line.waiting) {
      if (line.underWay >= atATime) return;
      line.waiting.delete(begin);
      line.underWay += 1;
      begin();
    }
    if (line.underWay === 0) end(address, line);
  };

  const begun = (address: string): Line => {
    const line: Line = { underWay: 0, waiting: new Set(), isServed: false };
    lines.set(address, line);
    return line;
  };

  const end = (address: string, line: Line) => {
    // Another one may have begun meanwhile.
    if (lines.get(address) !== line) return;
    lines.delete(address);
    if (lines.size > 0) return;
    for (const tell of tellEmptied) tell();
    tellEmptied = [];
  };

  return {
    enter(address, begin) {
      const line = lines.get(address) ?? begun(address);
      // Nobody passes those who wait, also where a place is free that nobody has taken yet.
      if (line.underWay >= atATime || line.waiting.size > 0) return void line.waiting.add(begin);
      line.underWay += 1;
      begin();
    },
    leave: (address, begin) => void lines.get(address)?.waiting.delete(begin),
    free(address) {
      const line = lines.get(address);
      if (!line) return;
      line.underWay -= 1;
      // Later: the library that tells of an end is not done with its connection yet.
      if (line.waiting.size > 0 && !line.isServed) {
        line.isServed = true;
        queueMicrotask(() => serve(address, line));
      } else if (line.underWay === 0 && !line.isServed) end(address, line);
    },
    emptied: () => (lines.size === 0 ? Promise.resolve() : new Promise((resolve) => void tellEmptied.push(resolve))),
  };
}
