// bet.spec.js
import { expect, test } from '@playwright/test';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { createRelay } from 'location-sdk/relay';

test('a press reports the bet', async ({ page }) => {
  const gateway = createMockGateway({ validation: 'partial' });
  const relay = createRelay({
    client: createClient(gateway.clientOptions()),
    authorize: () => ({ user: { user_id: 'U-1' } }),
  });
  await page.route('**/relay/*', async (route) => {
    const request = route.request();
    const method = request.method();
    const headers = await request.allHeaders();
    const body = request.postData();
    const sent = new Request(request.url(), { method, headers, body });
    const answer = await relay(sent, { remoteAddress: '8.8.8.8' });
    await route.fulfill({
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    });
  });

  await page.goto('/');
  await page.getByRole('button', { name: 'Bet' }).click();
  await expect(page.getByRole('status')).toHaveText('Recorded');
  expect(gateway.reports()).toHaveLength(1);
});
