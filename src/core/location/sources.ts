import { createIpLookup } from './lookup/ip-lookup.js';
import { devicePosition } from './page/device-position.js';
import { freeServices } from './providers/free-services.js';
import { clientAddress, clientIpProblem, hiddenByMock } from './server/client-ip.js';
import type { LocationSettings, Surroundings } from './settings.js';
import { findNothing, type LocationSource, type LocationSources } from './source.js';

const deviceOf = (settings: LocationSettings, surroundings: Surroundings): LocationSource[] =>
  settings.browser.enabled ? [devicePosition(settings, surroundings)] : [];

const orNothing = (sources: LocationSource[]): LocationSources => ({
  sources: sources.length > 0 ? sources : [{ find: findNothing }],
});

/** In a page with a relay: the device only, since the relay looks the address up. */
export const deviceSources = (settings: LocationSettings, surroundings: Surroundings): LocationSources =>
  orNothing(deviceOf(settings, surroundings));

/**
 * In a page: the device's position, then lookup services for the page's own address. Without a service the device has
 * all of the time.
 */
export function pageSources(settings: LocationSettings, surroundings: Surroundings): LocationSources {
  const { ip, sourceNames } = settings;
  const device = deviceOf(settings, surroundings);
  const providers = ip.providers ?? freeServices();
  if (!ip.enabled || providers.length === 0) return orNothing(device);
  const lookUp = createIpLookup(providers, ip, surroundings, sourceNames.ip);
  return { sources: [...device, { find: (request) => lookUp({ ...request, ip: undefined }) }] };
}

/** On a server: lookup services for the player's address. */
export function serverSources({ ip, sourceNames }: LocationSettings, surroundings: Surroundings): LocationSources {
  const providers = ip.providers ?? freeServices();
  const isOn = ip.enabled && providers.length > 0;
  const lookUp = isOn ? createIpLookup(providers, ip, surroundings, sourceNames.client_ip) : findNothing;
  return { sources: [clientAddress(lookUp)], clientIpProblem, hiddenByMock };
}
