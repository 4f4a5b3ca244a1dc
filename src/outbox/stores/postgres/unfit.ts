/** NUL, or half of a surrogate pair: PostgreSQL can hold neither. */
const UNFIT = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Whether it could not be stored as it is. */
export const isUnfit = (text: string): boolean => text.search(UNFIT) >= 0;

/** The text with a mark in place of what could not be stored. */
export const fitted = (text: string): string => text.replace(UNFIT, '\ufffd');
