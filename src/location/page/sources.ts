import type { LocationSettings, Surroundings } from '../settings.js';
import type { LocationSources } from '../source.js';
import { devicePosition } from './device-position.js';

/** In a page with a relay: the device only, since the relay looks the address up. */
export const deviceSources = (settings: LocationSettings, surroundings: Surroundings): LocationSources => ({
  sources: settings.browser.enabled ? [devicePosition(settings, surroundings)] : [],
});
