interface Named {
  operation: string;
  reference?: string | undefined;
  environment?: string | undefined;
}

/** The name of a call in messages: `reportSettledBet B-1 (staging)`. An unusual reference is quoted, a long one cut. */
export function subjectOf({ operation, reference, environment }: Named): string {
  const cut = reference && reference.length > 80 ? `${reference.slice(0, 80)}…` : reference;
  const shown = cut === undefined ? '' : ` ${/^[\w./:#-]+$/.test(cut) ? cut : JSON.stringify(cut)}`;
  return `${operation}${shown}${environment ? ` (${environment})` : ''}`;
}

/** A duration in seconds: `10 s`, `0.25 s`. */
export const seconds = (milliseconds: number): string => `${Math.round(milliseconds) / 1000} s`;

/** Turns a text into a sentence of its own. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
