import type { LocationSource } from '../source.js';
import { withSource } from '../with-source.js';
import type { IpLookups } from './ip-lookup.js';

/** Looks up the address from which the request comes: the page's own. */
export const ownAddress = (lookup: IpLookups, sourceName: string): LocationSource => ({
  async find({ deadline, signal }) {
    const answer = await lookup.find({ ip: undefined, deadline, signal });
    if (!answer.found) return { location: undefined, steps: answer.steps };
    return { location: withSource(answer.found, sourceName), ageMs: answer.ageMs, steps: answer.steps };
  },
});
