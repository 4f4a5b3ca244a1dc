import { deviceSources } from '../page/sources.js';
import { freeServices } from '../providers/free-services.js';
import type { LocationSettings, Surroundings } from '../settings.js';
import type { LocationSources } from '../source.js';
import { createIpLookup } from './ip-lookup.js';
import { ownAddress } from './own-address.js';

/** In a page: the device's position, then lookup services for the page's own address. */
export function pageSources(settings: LocationSettings, surroundings: Surroundings): LocationSources {
  const { ip, sourceNames } = settings;
  const { sources } = deviceSources(settings, surroundings);
  if (!ip.enabled) return { sources };
  const lookup = createIpLookup({ ...ip, providers: ip.providers ?? freeServices() }, surroundings);
  return { sources: [...sources, ownAddress(lookup, sourceNames.ip)] };
}
