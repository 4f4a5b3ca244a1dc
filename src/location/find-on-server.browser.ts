import type { Located } from './locate.js';

/** Never called: a page is not a server. */
export const findOnServer = async (): Promise<Located> => ({ steps: [], advice: '' });
