const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A length of time in its largest unit, rounded down: 3 and `h`. */
export function inLargestUnit(milliseconds: number): { readonly count: number; readonly unit: (typeof UNITS)[number][0] } {
  const positive = Math.max(0, milliseconds);
  const [unit, size] = UNITS.find(([, length]) => positive >= length) ?? UNITS[3];
  return { count: Math.floor(positive / size), unit };
}
