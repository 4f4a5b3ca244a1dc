/**
 * Whether a build is for pages with a relay alone: true in the script-tag file with the outbox, from which what is for a
 * gateway then falls out.
 */
export const RELAY_ONLY: boolean = false;
