// @vitest-environment happy-dom

import { expect, test } from 'vitest';
import type { FetchInit } from '../../../../src/core/platform/web-types.js';
import { createClient, freeipapi, geojs, type IpProvider, ipapiCo, ipinfo } from '../../../../src/entries/index.js';
import { replay, type Service } from './recorded-answers.js';

test.each<[Service, IpProvider, string]>([
  ['geojs', geojs(), 'https://get.geojs.io/v1/ip/geo.json'],
  ['ipapi-co', ipapiCo(), 'https://ipapi.co/json/'],
  ['freeipapi', freeipapi(), 'https://free.freeipapi.com/api/json'],
  ['ipinfo', ipinfo({ token: 'tok' }), 'https://api.ipinfo.io/lookup/me'],
])(
  'a page asks %s about its own address without cookies, and without a referrer',
  async (service, provider, address) => {
    const asked: { url: string; init: FetchInit }[] = [];
    const client = createClient({
      location: { browser: { enabled: false }, ip: { providers: [provider] } },
      fetch: async (url, init) => {
        asked.push({ url, init });
        return replay(service, 'known');
      },
    });
    expect(await client.locate()).toMatchObject({ latitude: 6.4474, source: 'ip' });
    expect(asked).toMatchObject([
      { url: address, init: { method: 'GET', credentials: 'omit', referrerPolicy: 'no-referrer' } },
    ]);
  },
);
