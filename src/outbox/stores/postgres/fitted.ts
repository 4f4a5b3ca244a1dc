const UNFIT = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with a mark in place of what could not be stored: NUL, or half of a surrogate pair. */
export const fitted = (text: string): string => text.replace(UNFIT, '\ufffd');
