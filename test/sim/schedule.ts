interface Planned {
  readonly at: number;
  readonly run: () => void;
}

/** Virtual time: events run in order, without real waits. */
export interface Schedule {
  /** Milliseconds since the history began. It is true time: no clock of the history shows it, and it never jumps. */
  now(): number;
  at(time: number, run: () => void): void;
  after(milliseconds: number, run: () => void): void;
  /** Runs until no event is left, `isOver` returns true, or `most` events have run. Returns their number. */
  run(isOver: () => boolean, most: number): number;
}

export function createSchedule(): Schedule {
  let time = 0;
  /** Sorted, with the next event last. */
  const planned: Planned[] = [];

  function at(when: number, run: () => void): void {
    const entry = { at: Math.max(when, time), run };
    let index = planned.length;
    planned.push(entry);
    for (; index > 0; index -= 1) {
      const before = planned[index - 1] as Planned;
      if (before.at > entry.at) break;
      planned[index] = before;
    }
    planned[index] = entry;
  }

  return {
    now: () => time,
    at,
    after: (milliseconds, run) => at(time + milliseconds, run),
    run(isOver, most) {
      let count = 0;
      for (; count < most && !isOver(); count += 1) {
        const next = planned.pop();
        if (!next) break;
        time = next.at;
        next.run();
      }
      return count;
    },
  };
}
