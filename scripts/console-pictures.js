// Makes the pictures of the console's guide from the real page, over an outbox in memory: `node
// scripts/console-pictures.js`, after a build.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import { toNodeHandler } from 'location-sdk/node';
import { createOutbox } from 'location-sdk/outbox';
import { createConsole } from 'location-sdk/outbox/console';
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const FOLDER = 'docs/pictures';
const DESKTOP = { width: 1120, height: 720 };
const REASONS = [
  { times: 200, message: 'amount must be a number' },
  { times: 14, message: 'the operator is not active' },
  { times: 3, message: 'the timestamp is invalid' },
];

/** The Chromium of the tests. */
async function launch() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const outfile = `${root}node_modules/.cache/console-pictures-chromium.mjs`;
  await build({
    entryPoints: [`${root}test/browser/chromium.ts`],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  const { launchChromium } = await import(pathToFileURL(outfile).href);
  return /** @type {Promise<import('playwright-core').Browser>} */ (launchChromium());
}

/** @param {number} from @param {number} count */
const bets = (from, count) =>
  Array.from({ length: count }, (_, index) => ({
    operation: /** @type {const} */ ('reportBetEvent'),
    payload: {
      bet_id: `BET-${10_000 + from + index}`,
      amount: 1500,
      user: {
        user_id: 'U-1',
        first_name: 'A',
        last_name: 'B',
        resident_address: 'C',
        resident_lga: 'D',
        resident_state: 'E',
        is_resident: true,
        nin: '99012345678',
        tax_id: 'T-1',
      },
    },
  }));

const gateway = createMockGateway();
/** The clock of the store: reports of the last hour, so that the charts have something to show. */
let behindMs = 58 * 60_000;
const now = () => Date.now() - behindMs;
const clock = {
  now,
  /** @type {(work: () => void, ms: number) => unknown} */
  setTimeout: (work, ms) => setTimeout(work, ms),
  /** @type {(timer: unknown) => void} */
  clearTimeout: (timer) => clearTimeout(/** @type {never} */ (timer)),
};
const client = createClient({ ...gateway.clientOptions(), logger: {}, clock });
const store = await sqliteStore({ file: ':memory:', clock });
const outbox = createOutbox({ client, store, breakerAfter: 1_000_000, retry: { baseMs: 1 } });

let placed = 0;
/** @param {number} count */
async function report(count) {
  await outbox.reportAll(bets(placed, count));
  placed += count;
  await outbox.drain();
}

const authorize = () => ({ name: 'ada@example.com', mayAct: true });
const server = createServer(toNodeHandler(createConsole({ outbox, authorize })));
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

for (; behindMs > 60_000; behindMs -= 60_000) await report(20 + Math.round(15 * Math.sin(behindMs / 500_000)));
for (const { times, message } of REASONS) {
  gateway.faults.add({ kind: 'status', status: 422, times, body: { message } });
  await report(times);
}
behindMs = 0;
await outbox.reportAll(bets(placed, 42));

const browser = await launch();
/** @param {string} name @param {string} path @param {object} options @param {(page: import('playwright-core').Page) => Promise<unknown>} [work] */
async function picture(name, path, options, work) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}${path}`);
  await page.locator('main:not([aria-busy]) .view').waitFor();
  await work?.(page);
  const png = (await page.screenshot()).toString('base64');
  // Small, and made without another program: the browser writes WebP by itself.
  const blank = await context.newPage();
  const webp = await blank.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.85).split(',')[1] ?? '';
  }, png);
  const bytes = Buffer.from(webp, 'base64');
  await writeFile(`${FOLDER}/console-${name}.webp`, bytes);
  console.log(`${FOLDER}/console-${name}.webp: ${Math.round(bytes.length / 1_000)} kB`);
  await context.close();
}

await mkdir(FOLDER, { recursive: true });
const [group] = await outbox.list({ state: 'quarantined', limit: 1 });
const person = /** @param {import('playwright-core').Page} page */ async (page) => {
  await page.locator('.groups button').first().click();
  await page.locator('main:not([aria-busy]) .select').waitFor();
};
await picture('overview', '/console', {});
await picture('group', '/console#/person', {}, person);
await picture('report', `/console#/report/${encodeURIComponent(group?.id ?? '')}`, {
  viewport: { ...DESKTOP, height: 940 },
});
await browser.close();
await outbox.stop();
process.exit(0);
