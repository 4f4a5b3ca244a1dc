// @module-tag slow: drives Chromium.
import { createMockGateway } from '../../src/entries/mock.js';
import { serve } from '../../src/entries/node.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../support/factories.js';
import { expect, restart, test, violationsOf } from './inspector-test.js';

const HOSTILE = '<img src=x onerror="window.harmed=true">"\'`</script><script>window.harmed=true</script>';

test('a report is shown within a second of its arrival', { tags: 'slice' }, async ({ open, client }) => {
  const { page } = await open();
  // By the page's clock, which stands still between its steps: a busy machine may take longer to deliver the report.
  await page.clock.install();
  // The page waits on this clock from its beginning.
  await page.reload();
  await page.locator('#link[data-state=live]').waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await client.reportBetEvent(betEvent({ bet_id: 'BET-77' }));
  const shown = page.locator('#list').getByText('BET-77');
  for (let step = 0; step < 20 && (await shown.count()) === 0; step += 1) {
    await page.waitForTimeout(100 * step);
    await page.clock.runFor(50);
  }
  expect(await shown.count()).toBe(1);
});

test('a bet and a withdrawal have one timeline each, from initiated to settled', async ({ open, client }) => {
  const { page } = await open();
  await client.reportBetEvent(betEvent());
  await client.reportSettledBet(settledBet());
  await client.reportSettledBet(settledBet()).catch(() => undefined);
  const { location } = await client.reportWithdrawalEvent(withdrawalEvent());
  await client.reportSettledWithdrawal(settledWithdrawal({ location } as never));

  await page.getByRole('button', { name: /WR-1.*Settled/ }).waitFor();
  await page.getByRole('button', { name: /BET-1.*Settled.*3 requests/ }).click();
  const steps = page.getByRole('region', { name: 'BET-1' }).locator('.timeline > li summary');
  expect(await steps.allTextContents()).toEqual([
    expect.stringMatching(/^Bet initiatedRecorded/),
    expect.stringMatching(/^Bet settledRecorded/),
    expect.stringMatching(/^Bet settledRepeat refused/),
  ]);
  expect(await page.locator('#list > li').count()).toBe(2);
});

test('a lost answer and the attempt that repaired it are distinguished: only the latter has a request id', async ({
  open,
  client,
  server,
}) => {
  const { page } = await open();
  server.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  await client.reportBetEvent(betEvent());
  await page.getByRole('button', { name: /BET-1.*2 requests/ }).click();
  expect(await page.locator('.timeline summary .badge').allTextContents()).toEqual([
    'Recorded, answer lost',
    'Repeat refused',
  ]);
  await page.locator('.timeline summary').first().click();
  const [lost, repeat] = server.gateway.requests().map(({ requestId }) => requestId);
  expect(await page.locator('.timeline > li').allTextContents()).toEqual([
    expect.not.stringContaining(`${lost}`),
    expect.stringContaining(`Request id${repeat}`),
  ]);
});

test('a report that was recorded before the page was opened is shown', async ({ open, server }) => {
  server.gateway.seed([{ operation: 'reportBetEvent', body: { bet_id: 'BET-OLD' } }]);
  const { page } = await open();
  await page.getByRole('button', { name: /BET-OLD.*Initiated/ }).click();
  await page.getByText('its request is older than this log').waitFor();
});

test('it survives a restart of the server, and removes the reports that the server lost', async ({
  open,
  client,
  server,
  onTestFinished,
}) => {
  const { page } = await open();
  await client.reportBetEvent(betEvent({ bet_id: 'BET-BEFORE' }));
  await page.getByText('BET-BEFORE').waitFor();
  await server.close();
  await page.getByText('reconnecting…').waitFor();
  const again = await restart(server);
  onTestFinished(() => again.close());
  await page.locator('#link[data-state=live]').waitFor();
  await client.reportBetEvent(betEvent({ bet_id: 'BET-AFTER' }));
  await page.locator('#list').getByText('BET-AFTER').waitFor();
  expect(await page.getByText('BET-BEFORE').count()).toBe(0);
});

test('a hostile reference is text, and no part of it runs', { tags: 'slice' }, async ({ open, client, server }) => {
  const { page, complaints } = await open();
  await client.reportBetEvent(betEvent({ bet_id: HOSTILE }));
  server.gateway.faults.add({ kind: 'hang', reference: HOSTILE });
  await page.locator('#list').getByText(HOSTILE).click();
  expect(await page.getByRole('heading', { name: HOSTILE }).textContent()).toBe(HOSTILE);
  expect(await page.locator('#detail img, #list img, main script').count()).toBe(0);
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  expect(complaints).toEqual([]);
});

test('personal data is masked until it is requested, and again afterwards', async ({ open, client }) => {
  const { page } = await open();
  const personal = /Adaeze|99012345678|Ogui/;
  await client.reportBetEvent(betEvent());
  await page.locator('#list').getByText('BET-1').click();
  await page.getByText('[masked]').first().waitFor();
  expect(await page.locator('main').innerHTML()).not.toMatch(personal);

  const reveal = page.getByRole('button', { name: 'Show personal data' });
  await reveal.click();
  await page.locator('#detail').getByText('99012345678').first().waitFor();
  expect(await reveal.count()).toBe(0);

  await page.getByRole('button', { name: 'Hide personal data' }).click();
  await reveal.waitFor();
  expect(await page.locator('main').innerHTML()).not.toMatch(personal);
});

test('a curl command can be copied, with the key as a shell variable', async ({ open, client, server }) => {
  const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await client.reportBetEvent(betEvent());
  await page.locator('#list').getByText('BET-1').click();
  await page.getByRole('button', { name: 'Copy the curl command' }).click();
  await page.getByRole('button', { name: 'Copy the curl command' }).getByText('Copied').waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain(`curl -X POST '${server.url}/integration-gateway/external/report-bet-event'`);
  expect(line).toContain('"x-api-key: $LOCATION_SDK_KEY"');
});

test('a report that is chosen before its request has arrived stays open', async ({ open, client }) => {
  const { page } = await open();
  const gate = () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { open, opened };
  };
  const [reported, chosen] = [gate(), gate()];
  let looks = 0;
  await page.route('**/__admin/reports?*', async (route) => {
    await reported.opened;
    await route.continue();
  });
  await page.route('**/__admin/news?*', async (route) => {
    looks += 1;
    if (looks > 1) await chosen.opened;
    await route.continue();
  });
  await page.reload();
  await expect.poll(() => looks).toBe(2);
  await client.reportBetEvent(betEvent());
  reported.open();
  await page.locator('#list').getByText('BET-1').click();
  await page.getByText('its request is older than this log').waitFor();
  chosen.open();
  await page.getByRole('button', { name: 'Copy the curl command' }).waitFor();
});

test('a fault switch applies to the next request', async ({ open, client, server }) => {
  const { page } = await open();
  await page.getByRole('button', { name: '503, twice' }).click();
  await page.locator('#set').getByText('answer 503, 2 times').waitFor();
  await expect(client.reportBetEvent(betEvent())).resolves.toMatchObject({ attempts: 3 });
  await page.locator('#set .used').getByText('used up').waitFor();
  const look = (of: string) =>
    page.locator(of).evaluate((element) => {
      const { textDecorationLine, borderTopStyle } = getComputedStyle(element);
      return [textDecorationLine, borderTopStyle];
    });
  expect([(await look('#set .used b'))[0], (await look('#set .used'))[1]]).toEqual(['line-through', 'dashed']);
  // Active faults come first.
  await page.getByRole('button', { name: 'Hang' }).click();
  await expect.poll(() => page.locator('#set li b').allTextContents()).toEqual(['hang', 'answer 503, 2 times']);
  await page.getByRole('button', { name: /^Remove hang/ }).click();
  await page.getByRole('button', { name: /^Remove answer 503/ }).click();
  await expect.poll(() => server.gateway.faults.list()).toEqual([]);
});

test('clearing asks for confirmation', async ({ open, client, server }) => {
  const { page } = await open();
  await client.reportBetEvent(betEvent());
  await page.locator('#list').getByText('BET-1').waitFor();
  await page.getByRole('button', { name: 'Clear…' }).click();
  await page.getByRole('button', { name: 'Keep' }).click();
  expect(server.gateway.reports()).toHaveLength(1);
  await page.getByRole('button', { name: 'Clear…' }).click();
  await page.getByRole('button', { name: 'Clear everything' }).click();
  await page.getByText('Waiting for the first report').waitFor();
  expect(server.gateway.reports()).toHaveLength(0);
});

test('while paused nothing changes; afterwards nothing is missing', async ({ open, client }) => {
  const { page } = await open();
  await page.getByRole('button', { name: 'Pause' }).click();
  await client.reportBetEvent(betEvent());
  await page.getByRole('button', { name: 'Resume (1 new)' }).waitFor();
  expect(await page.locator('#list > li').count()).toBe(0);
  await page.getByRole('button', { name: 'Resume (1 new)' }).click();
  await page.locator('#list').getByText('BET-1').waitFor();
});

test('environments and search words filter the list', async ({ open, client }) => {
  const { page } = await open();
  await client.reportBetEvent(betEvent({ bet_id: 'BET-S' }));
  await client.reportBetEvent(betEvent({ bet_id: 'BET-P' }), { environment: 'production' });
  const titles = page.locator('#list .title');
  await titles.nth(1).waitFor();
  await page.getByLabel('Environment', { exact: true }).selectOption('production');
  await expect.poll(() => titles.allTextContents()).toEqual(['BET-P']);
  await page.getByLabel('Environment', { exact: true }).selectOption('');
  await page.getByLabel('Search').fill('bet-s recorded');
  await expect.poll(() => titles.allTextContents()).toEqual(['BET-S']);
  await page.getByLabel('Search').fill('nowhere');
  await page.getByText('Nothing matches.').waitFor();
});

test('it can be used with the keyboard only', async ({ open, client }) => {
  const { page } = await open();
  for (const bet_id of ['BET-1', 'BET-2', 'BET-3']) await client.reportBetEvent(betEvent({ bet_id }));
  await page.locator('#list > li').nth(2).waitFor();
  const heading = (name: string) => page.locator('#detail').getByRole('heading', { name }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);

  await page.keyboard.press('j');
  await heading('BET-3');
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await heading('BET-1');
  await page.keyboard.press('k');
  await heading('BET-2');
  expect(await focused()).toContain('BET-2');

  // An arriving report does not move the focus.
  await client.reportSettledBet(settledBet({ bet_id: 'BET-2' }));
  await page.getByRole('button', { name: /BET-2.*Settled/ }).waitFor();
  expect(await focused()).toContain('BET-2');

  await page.keyboard.press('/');
  expect(await focused()).toBe('search');
  await page.keyboard.type('j/k');
  await page.getByText('Nothing matches.').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#list > li').nth(2).waitFor();
  await page.getByText('Choose a report').waitFor();
});

test('on a phone a report opens at its beginning, and back returns to the earlier place', async ({ open, client }) => {
  const { page } = await open({ viewport: { width: 360, height: 640 } });
  for (let at = 1; at <= 20; at += 1) await client.reportBetEvent(betEvent({ bet_id: `BET-${at}` }));
  await page.getByRole('button', { name: /BET-20/ }).waitFor();
  await page.getByRole('button', { name: /^BET-1 / }).click();
  await page.getByRole('heading', { name: 'BET-1' }).waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.getByRole('button', { name: 'All reports' }).click();
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(300);
});

test('on a phone the list comes first, and the fault switches are one press away', async ({ open, client }) => {
  const { page } = await open({ viewport: { width: 390, height: 844 } });
  for (let at = 1; at <= 20; at += 1) await client.reportBetEvent(betEvent({ bet_id: `BET-${at}` }));
  await page.getByRole('button', { name: /BET-20/ }).waitFor();
  const top = (of: string) => page.locator(of).evaluate((element) => element.getBoundingClientRect().top);
  expect(await top('#list')).toBeLessThan(260);
  expect(await top('.faults')).toBeGreaterThan(844);
  await page.getByRole('button', { name: 'Simulate faults' }).click();
  await expect.poll(() => top('.faults')).toBeLessThan(500);
  await page.getByRole('button', { name: '503, twice' }).click();
  await page.locator('#set').getByText('answer 503, 2 times').waitFor();
});

test('more than a thousand requests leave two hundred rows', async ({ open, server }) => {
  const { page } = await open();
  const headers = { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' };
  const body = (bet_id: string) =>
    JSON.stringify({
      ...betEvent({ bet_id, timestamp: '1795161600' }),
      location: { latitude: 1, longitude: 1, source: 'gps' },
    });
  for (let at = 0; at < 1_100; at += 1) {
    await server.gateway.fetch(`${server.url}/integration-gateway/external/report-bet-event`, {
      method: 'POST',
      headers,
      body: body(`BET-${at}`),
    });
  }
  await page.locator('#list').getByText('BET-1099').waitFor();
  await page.getByText(/^The latest 200 of/).waitFor();
  expect(await page.locator('#list > li').count()).toBe(200);
});

test('it sends requests to no other host, and logs no error', async ({ open, client, server }) => {
  const { page, complaints, elsewhere } = await open();
  await client.reportBetEvent(betEvent());
  await page.locator('#list').getByText('BET-1').click();
  await page.getByRole('button', { name: 'Show personal data' }).click();
  await page.getByRole('button', { name: 'Hang' }).click();
  await page.locator('#set').getByText('hang').waitFor();
  server.gateway.reset();
  await page.getByText('Waiting for the first report').waitFor();
  expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
});

test('with an admin token it is opened with the token in its fragment', async ({ browser, onTestFinished }) => {
  const server = await serve(createMockGateway(), { adminToken: 'let-me-in' });
  const page = await browser.newPage();
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  await page.goto(server.url);
  await page.getByText('open this page with #token=').waitFor();
  await page.goto(`${server.url}/?again#token=let-me-in`);
  await page.locator('#link[data-state=live]').waitFor();
});

test.for([
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const)(
  'axe finds nothing wrong: $colorScheme, $viewport.width pixels wide',
  async (look, { open, client, server }) => {
    const { page } = await open({ ...look, bypassCSP: true, reducedMotion: 'reduce' });
    expect(await violationsOf(page)).toEqual([]);

    server.gateway.faults.add({ kind: 'status', status: 503 });
    server.gateway.faults.add({ kind: 'connection-reset', when: 'after', skip: 1 });
    await client.reportBetEvent(betEvent());
    await client.reportSettledBet(settledBet());
    await client.reportSettledBet(settledBet({ win_amount: 1 })).catch(() => undefined);
    await client.reportSettledBet(settledBet({ bet_id: 'BET-2' })).catch(() => undefined);
    await client.reportBetEvent(betEvent({ bet_id: 'BET-P' }), { environment: 'production' });
    await page.locator('#list > li').nth(2).waitFor();
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: /BET-1/ }).click();
    await page.locator('.timeline > li').nth(4).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

    await page.getByRole('button', { name: 'Clear…' }).click();
    expect(await violationsOf(page)).toEqual([]);
  },
);
