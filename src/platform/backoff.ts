export interface BackoffSettings {
  baseMs: number;
  capMs: number;
}

/** The wait after a failed attempt (the first is 1): exponential with full jitter, so that clients which failed together do not retry together. */
export const backoffMs = (attempt: number, { baseMs, capMs }: BackoffSettings, random: () => number): number =>
  random() * Math.min(capMs, baseMs * 2 ** (attempt - 1));
