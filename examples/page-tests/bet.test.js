// bet.test.js
// @vitest-environment happy-dom
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createRelay } from 'location-sdk/relay';
import { expect, test } from 'vitest';

test('a press reports the bet', async () => {
  const gateway = createMockGateway({ validation: 'partial' });
  const options = gateway.clientOptions();
  const relay = createRelay({
    // jsdom and happy-dom count as a page. This key is not a secret.
    client: createClient({ ...options, allowApiKeyInBrowser: true }),
    authorize: () => ({ user: { user_id: 'U-1' } }),
    // Their requests have no Origin.
    allowNative: true,
  });
  globalThis.fetch = (url, init) => relay(new Request(url, init));

  await import('./bet.js'); // your page
  document.querySelector('button')?.click();
  await gateway.waitFor({ reference: 'B-1', applied: true });
  expect(gateway.reports()).toHaveLength(1);
});
