export { freeipapi } from './freeipapi.js';
export { geojs } from './geojs.js';
export { ipapiCo } from './ipapi-co.js';
export { type IpinfoOptions, ipinfo } from './ipinfo.js';
