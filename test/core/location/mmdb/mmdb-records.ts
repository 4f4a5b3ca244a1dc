import { float } from '../../../support/write-mmdb.js';

/** Records in the shapes that publishers write, with invented contents. All but the last name the same place. */
export const MAXMIND = {
  city: { geoname_id: 1, names: { de: 'Enugu (de)', en: 'Enugu' } },
  continent: { code: 'AF', names: { en: 'Africa' } },
  country: { geoname_id: 2, iso_code: 'NG', names: { en: 'Nigeria' } },
  location: { accuracy_radius: 20, latitude: 6.4474, longitude: 7.5139, time_zone: 'Africa/Lagos' },
  registered_country: { iso_code: 'GB', names: { en: 'United Kingdom' } },
  subdivisions: [{ iso_code: 'EN', names: { en: 'Enugu State' } }, { names: { en: 'a smaller one' } }],
};

export const DB_IP_NESTED = {
  city: { names: { en: 'Enugu' } },
  country: { iso_code: 'NG', names: { en: 'Nigeria' } },
  location: { latitude: 6.4474, longitude: 7.5139 },
  subdivisions: [{ names: { en: 'Enugu State' } }],
};

export const DB_IP_FLAT = {
  city: 'Enugu',
  country_code: 'NG',
  latitude: 6.4474,
  longitude: 7.5139,
  postcode: '',
  state1: 'Enugu State',
  state2: '',
  timezone: 'Africa/Lagos',
};

/** As it is converted with 32-bit floats. */
export const DB_IP_FLOAT = { ...DB_IP_FLAT, latitude: float(6.4474), longitude: float(7.5139) };

export const IPINFO = {
  city: 'Enugu',
  country: 'NG',
  country_name: 'Nigeria',
  lat: '6.4474',
  lng: '7.5139',
  region: 'Enugu State',
  postal_code: '',
};

export const IPINFO_NEW = {
  city: 'Enugu',
  country: 'Nigeria',
  country_code: 'NG',
  latitude: '6.4474',
  longitude: '7.5139',
  region: 'Enugu State',
  region_code: 'EN',
};

export const COUNTRY_ONLY = {
  continent: MAXMIND.continent,
  country: MAXMIND.country,
  registered_country: MAXMIND.registered_country,
};

export const ENUGU = { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', region: 'Enugu State', country: 'NG' };
