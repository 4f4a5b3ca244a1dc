import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BetWorld, bet, CASES, ended, openBet, PLACED } from '../browser/bet-page.js';
import { launchChromium } from '../browser/chromium.js';
import { grantGeolocation, POSITION } from '../browser/geolocation.js';
import { violationsByScheme } from '../browser/violations.js';
import { freePort } from '../support/free-port.js';
import { root } from '../support/run.js';
import { type Example, installExample, PLAYER_REFUSED, refusalOfPlayer, TOO_NEW } from './example.js';
import { startGateway } from './gateway.js';

/**
 * The pages in Vue, Svelte and jQuery, built by Vite, over the backend of the React example. They are driven side by
 * side, each with a backend and a gateway of its own.
 */

type Gateway = Awaited<ReturnType<typeof startGateway>>;
interface World extends BetWorld {
  readonly name: string;
  readonly gateway: Gateway['gateway'];
}

let example: Example;
let browser: Browser;
let sites: readonly { readonly name: string; readonly url: string; readonly gateway: Gateway }[] = [];
let worlds: readonly World[] = [];

beforeAll(async () => {
  example = await installExample('vue-svelte-jquery');
  cpSync(join(root, 'examples/react/server.ts'), join(example.folder, 'server.ts'));
  await example.run('npm', 'run', 'build');
  browser = await launchChromium();
  sites = await Promise.all(['vue', 'svelte', 'jquery'].map(startSite));
});

async function startSite(name: string) {
  const gateway = await startGateway(example);
  const port = String(await freePort());
  await example.start(/http:/, { PORT: port, LOCATION_SDK_MOCK: gateway.url }, 'npm', 'start');
  return { name, gateway, url: `http://127.0.0.1:${port}/${name}.html` };
}

afterAll(async () => {
  await browser?.close();
  await Promise.all(sites.map(({ gateway }) => gateway.close()));
  await example?.remove();
});

beforeEach(async () => {
  worlds = await Promise.all(
    sites.map(async ({ name, url, gateway: { gateway } }) => {
      gateway.reset();
      const context = await browser.newContext();
      await grantGeolocation(context);
      return {
        name,
        url,
        gateway,
        context,
        amounts: async () => gateway.reports().map(({ body }) => Number(body.amount)),
      };
    }),
  );
});

afterEach(() => Promise.all(worlds.map(({ context }) => context.close())));

/** Does the same with each page. An error names the page. */
const withEach = (drive: (world: World) => Promise<void>) =>
  Promise.all(
    worlds.map((world) =>
      drive(world).catch((cause: unknown) => {
        throw new Error(`${world.name}: ${cause}`, { cause });
      }),
    ),
  );

test('each reports the position, and is accessible', () =>
  withEach(async (world) => {
    const page = await openBet(world);
    await bet(page);
    await ended(page, PLACED);
    expect(await violationsByScheme(page)).toEqual([]);
    await expect.poll(() => world.gateway.reports()).toHaveLength(1);
    expect(world.gateway.reports()[0]?.body).toMatchObject({ location: { ...POSITION, source: 'gps' } });
  }));

test.each(['bet.vue', 'bet.svelte', 'jquery.ts'])('the build of %s refuses a payload with the player', async (name) => {
  const refusal = await refusalOfPlayer(example, `src/${name}`, 'npm', 'run', 'build');
  expect(refusal).toContain(`src/${name}`);
  expect(refusal).toMatch(PLAYER_REFUSED);
});

test('older phones can read the bundles', () => {
  expect(example.scriptsIn('dist/page')).not.toMatch(TOO_NEW);
});

for (const [what, drive] of Object.entries(CASES)) test(what, () => withEach(drive));
