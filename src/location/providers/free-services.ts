import type { IpProvider } from '../lookup/provider.js';
import { freeipapi } from './freeipapi.js';
import { geojs } from './geojs.js';
import { ipapiCo } from './ipapi-co.js';

/** The services that are asked unless the options name others, in this order (our decision). */
export const freeServices = (): IpProvider[] => [geojs(), ipapiCo(), freeipapi()];
