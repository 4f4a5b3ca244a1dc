/** Whether a database gives the text back as it is: libraries cut at NUL what they read, and neither SQLite nor PostgreSQL keeps half of a character. */
export const isStorable = (text: string): boolean => !text.includes('\0') && (text as string & { isWellFormed(): boolean }).isWellFormed();
