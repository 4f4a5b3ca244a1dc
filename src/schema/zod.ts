/** All that the source knows of zod: in the script-tag file `zod.browser.ts` stands in for it. */
export * as z from 'zod/mini';
