import type { IpLookups } from '../lookup/ip-lookup.js';
import { type LocationSource, NO_SOURCE } from '../source.js';
import { withSource } from '../with-source.js';
import { parseClientIp } from './client-ip.js';

/**
 * Looks up `clientIP`. On a server only the player's address is useful: the server's own would locate the data centre.
 * Without `lookup` no service is enabled.
 */
export const clientAddress = (lookup: IpLookups | undefined, sourceName: string): LocationSource => ({
  async find({ clientIP, deadline, signal }) {
    if (clientIP === undefined) {
      return {
        location: undefined,
        steps: [{ step: 'client-ip', reason: 'no-address', message: 'clientIP is missing, or undefined', durationMs: 0 }],
        advice: "on a server, pass the player's address as clientIP (if clientIpFrom gives undefined, check its trustedProxies), or pass location",
      };
    }
    const client = parseClientIp(clientIP);
    if (!client || client.notPublic) {
      const message = client ? `clientIP is ${client.notPublic}` : 'clientIP is not an address';
      return {
        location: undefined,
        steps: [{ step: 'client-ip', reason: 'not-public', message, durationMs: 0 }],
        advice:
          "pass the player's public address: does your server read the proxy's X-Forwarded-For? In development, pass location: fixedLocation(…) to createClient",
      };
    }
    if (!lookup) return NO_SOURCE;
    const answer = await lookup.find({ ip: client.address, deadline, signal });
    if (!answer.found) return { location: undefined, steps: answer.steps, advice: 'pass location, or call again later' };
    return { location: withSource(answer.found, sourceName), ageMs: answer.ageMs, steps: answer.steps };
  },
});
