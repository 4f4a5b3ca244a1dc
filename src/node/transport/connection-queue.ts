/**
 * One queue per address: only a limited number of requests to an address run at a time, and the others wait for their
 * turn.
 */
export interface ConnectionQueue {
  /** Calls `begin` when its turn comes: at once if there is room. */
  enter(address: string, begin: () => void): void;
  /** Removes a waiting entry, which is then never started. */
  leave(address: string, begin: () => void): void;
  /** Reports that a started entry has ended. */
  ended(address: string): void;
  /** Settles when no entry runs or waits. */
  emptied(): Promise<void>;
}

interface Line {
  underWay: number;
  /** In order of arrival. */
  readonly waiting: Set<() => void>;
  /** Whether a check for the next entry is scheduled. */
  isServed: boolean;
}

export function createConnectionQueue(atATime: number): ConnectionQueue {
  const lines = new Map<string, Line>();
  let tellEmptied: (() => void)[] = [];

  /** Starts the next entries while there is room. */
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
    // Another entry may have started meanwhile.
    if (lines.get(address) !== line) return;
    lines.delete(address);
    if (lines.size > 0) return;
    for (const tell of tellEmptied) tell();
    tellEmptied = [];
  };

  return {
    enter(address, begin) {
      const line = lines.get(address) ?? begun(address);
      // A new entry does not overtake waiting ones, even if a place is free.
      if (line.underWay >= atATime || line.waiting.size > 0) return void line.waiting.add(begin);
      line.underWay += 1;
      begin();
    },
    leave: (address, begin) => void lines.get(address)?.waiting.delete(begin),
    ended(address) {
      const line = lines.get(address);
      if (!line) return;
      line.underWay -= 1;
      // Deferred: the library that reports an end is not done with its connection yet.
      if (line.waiting.size > 0 && !line.isServed) {
        line.isServed = true;
        queueMicrotask(() => serve(address, line));
      } else if (line.underWay === 0 && !line.isServed) end(address, line);
    },
    emptied: () => (lines.size === 0 ? Promise.resolve() : new Promise((resolve) => void tellEmptied.push(resolve))),
  };
}
