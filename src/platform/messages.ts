interface Named {
  operation: string;
  reference?: string | undefined;
  environment?: string | undefined;
}

/** How a call is named in messages: `reportSettledBet B-1 (staging)`. An odd reference is quoted, a long one cut. */
export function subjectOf({ operation, reference, environment }: Named): string {
  const cut = reference && reference.length > 80 ? `${reference.slice(0, 80)}…` : reference;
  const shown = cut === undefined ? '' : ` ${/^[\w./:#-]+$/.test(cut) ? cut : JSON.stringify(cut)}`;
  return `${operation}${shown}${environment ? ` (${environment})` : ''}`;
}

/** A length of time in seconds: `10 s`, `0.25 s`. */
export const seconds = (milliseconds: number): string => `${Math.round(milliseconds) / 1000} s`;

/** A text as a sentence of its own. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
