/** See the original. */
export const RELAY_ONLY: boolean = true;
