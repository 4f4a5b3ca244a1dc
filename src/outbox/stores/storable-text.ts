/**
 * Whether a database returns the text unchanged. Libraries cut text at NUL, and SQLite and PostgreSQL cannot store
 * unpaired surrogates.
 */
export const isStorable = (text: string): boolean =>
  !text.includes('\0') && (text as string & { isWellFormed(): boolean }).isWellFormed();
