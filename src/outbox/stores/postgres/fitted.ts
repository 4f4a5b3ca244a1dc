const UNFIT = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces characters that cannot be stored: NUL and unpaired surrogates. */
export const fitted = (text: string): string => text.replace(UNFIT, '\ufffd');
