interface Planned {
  readonly at: number;
  readonly run: () => void;
}

/** Virtual time: things happen in its order, and nothing waits. */
export interface Schedule {
  /** Milliseconds since the history began; no clock of the history shows it, and it never jumps. */
  now(): number;
  at(time: number, run: () => void): void;
  after(milliseconds: number, run: () => void): void;
  /** Goes on until nothing is left, `isOver` says so, or `most` things happened; says how many did. */
  run(isOver: () => boolean, most: number): number;
}

export function createSchedule(): Schedule {
  let time = 0;
  /** The next one last. */
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
