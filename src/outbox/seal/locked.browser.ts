/** The seals of pages have no keys that could be missing. */
export const lockedEnding = (): undefined => undefined;
