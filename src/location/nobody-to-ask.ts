import type { Located } from './locate.js';

/** What is said where the options leave nobody to ask. */
export const NOBODY_TO_ASK: Located = {
  location: undefined,
  steps: [
    {
      step: 'ip-lookup',
      reason: 'not-available',
      message: 'nobody is left to ask: see location.browser.enabled and location.ip',
      durationMs: 0,
    },
  ],
  advice: 'pass location',
};
