/** The time from which a row may be claimed, and its place among rows of the same time. */
interface Due {
  readonly dueAt: number;
  readonly sequence: number;
}

type Entry = Due & { readonly id: string };

const isBefore = (a: Due, b: Due) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence);

/**
 * The rows that may be claimed, earliest first: a binary heap. A replaced entry stays in the heap until it comes first. Finding
 * the first entry takes logarithmic time.
 */
export function createQueue() {
  let heap: Entry[] = [];
  const current = new Map<string, Entry>();

  const at = (index: number) => heap[index] as Entry;

  function push(entry: Entry): void {
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, at(parent))) break;
      heap[index] = at(parent);
      index = parent;
    }
    heap[index] = entry;
  }

  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(at(child + 1), at(child))) child += 1;
      if (!isBefore(at(child), last)) break;
      heap[index] = at(child);
      index = child;
    }
    heap[index] = last;
  }

  const rebuild = (entries: Iterable<Entry>) => {
    const all = [...entries];
    heap = [];
    for (const entry of all) push(entry);
  };

  return {
    /** Puts a row at its place, or removes it. */
    set(id: string, due: Due | undefined): void {
      if (due === undefined) {
        current.delete(id);
        return;
      }
      const entry = { id, dueAt: due.dueAt, sequence: due.sequence };
      current.set(id, entry);
      push(entry);
      if (heap.length > 2 * current.size + 64) rebuild(current.values());
    },
    first(): Entry | undefined {
      while (heap[0] !== undefined && current.get(heap[0].id) !== heap[0]) pop();
      return heap[0];
    },
  };
}
