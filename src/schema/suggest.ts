const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The number of single-letter edits between two words. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** The known name nearest to a misspelt one, if at most a third of its letters differ. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name).slice(0, 64);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const edits = distance(wanted, plain(candidate));
    if (edits < least && edits * 3 <= Math.max(wanted.length, candidate.length)) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}
