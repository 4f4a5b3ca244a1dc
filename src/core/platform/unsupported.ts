/**
 * Why this browser is too old, for developers. Undefined if it is new enough. Safari before 14 has no BigInt; Chrome
 * before 80 and Firefox before 78 cannot read the files of the build at all.
 */
export const unsupported: string | undefined =
  typeof BigInt === 'function'
    ? undefined
    : 'location-sdk: this browser is too old (oldest: Chrome 80, Safari 14, Firefox 78)';
