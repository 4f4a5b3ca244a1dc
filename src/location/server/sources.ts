import { createIpLookup } from '../lookup/ip-lookup.js';
import { freeServices } from '../providers/free-services.js';
import type { LocationSettings, Surroundings } from '../settings.js';
import type { LocationSources } from '../source.js';
import { clientAddress } from './client-address.js';
import { clientIpProblem } from './client-ip.js';

/** On a server: lookup services for the player's address. */
export function serverSources({ ip, sourceNames }: LocationSettings, surroundings: Surroundings): LocationSources {
  const providers = ip.providers ?? freeServices();
  const lookup = ip.enabled && providers.length > 0 ? createIpLookup({ ...ip, providers }, surroundings) : undefined;
  return { sources: [clientAddress(lookup, sourceNames.client_ip)], clientIpProblem };
}
