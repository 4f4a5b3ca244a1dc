/** A misspelt name is said to be unknown; which one was meant is not worth its bytes. */
export const suggest = () => undefined;
