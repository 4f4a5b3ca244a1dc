import type { IpProvider } from '../lookup/provider.js';
import { freeipapi } from './freeipapi.js';
import { geojs } from './geojs.js';
import { ipapiCo } from './ipapi-co.js';

/** The default lookup services, in this order (our decision). */
export const freeServices = (): IpProvider[] => [geojs(), ipapiCo(), freeipapi()];
