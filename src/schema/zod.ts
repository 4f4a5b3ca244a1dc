/** What the schemas use of zod, by name, since in the script-tag file `zod.browser.ts` stands in for exactly this. */

export type { core, input, output, ZodMiniOptional, ZodMiniType } from 'zod/mini';
export { array, boolean, check, custom, looseObject, number, optional, refine, safeParse, strictObject, string } from 'zod/mini';
