import type { LocationStep } from '../errors.js';
import { parseClientIp } from './client-ip.js';
import type { IpLookups } from './ip-lookup.js';
import type { Located, LocateRequest, LocationSettings } from './locate.js';
import { NOBODY_TO_ASK } from './nobody-to-ask.js';
import { withSource } from './with-source.js';

/** On a server the only address that tells anything is the player's: the server's own would locate the data centre. */
export const createServerFinder =
  (settings: LocationSettings, lookup: IpLookups) =>
  async (request: LocateRequest): Promise<Located> => {
    const { clientIP, deadline, signal } = request;
    if (clientIP === undefined) {
      const step: LocationStep = { step: 'client-ip', reason: 'no-address', message: 'clientIP is missing, or undefined', durationMs: 0 };
      return {
        location: undefined,
        steps: [step],
        advice: "on a server, pass the player's address as clientIP (where clientIpFrom gives undefined, look at its trustedProxies), or pass location",
      };
    }
    const client = parseClientIp(clientIP);
    if (!client || client.notPublic) {
      const message = client ? `clientIP is ${client.notPublic}` : 'clientIP is not an address';
      return {
        location: undefined,
        steps: [{ step: 'client-ip', reason: 'not-public', message, durationMs: 0 }],
        advice: "pass the player's public address: is the proxy's X-Forwarded-For read? While developing, pass location: fixedLocation(…) to createClient",
      };
    }
    if (!settings.ip.enabled || settings.ip.providers.length === 0) return NOBODY_TO_ASK;
    const answer = await lookup.find({ ip: client.address, deadline, signal });
    if (!answer.found) return { location: undefined, steps: answer.steps, advice: 'pass location, or call again later' };
    return { location: withSource(answer.found, settings.sourceNames.client_ip), ageMs: answer.ageMs, steps: answer.steps };
  };
