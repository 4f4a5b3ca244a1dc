// The scripts of a page, compared with libraries that also report from pages: the download, gzip -9, and the time in
// which Chromium parses, compiles and runs each, on a processor that is slowed down four times, as a cheap phone's is.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { testedChromium } from '../../test/support/tested-chromium.js';
import { compare, ratios, resultOf } from '../measure.js';
import { tell } from '../promises.js';
import { median } from '../statistics.js';
import { fixed, markdownTable, whole } from '../words.js';
import { bundle, file } from './page-files.js';

const SLOWED_DOWN = 4;
const PAGE = 'https://operator.test/';
const SEGMENT = '../node_modules/@segment/analytics-next/dist/umd/standalone.js';

/**
 * Runs a script in a new page, and returns the milliseconds. The comment is new each time: otherwise V8 would find the
 * compiled code of the round before.
 * @param {import('playwright-core').Browser} browser @param {string} script @param {string} comment
 */
async function evaluate(browser, script, comment) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.route(PAGE, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Bet</title>' }));
    await page.goto(PAGE);
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED_DOWN });
    const { took, problem } = await page.evaluate((text) => {
      /** @type {string | undefined} */
      let problem;
      addEventListener('error', ({ message }) => {
        problem = message;
      });
      const element = document.createElement('script');
      element.textContent = text;
      const began = performance.now();
      document.head.append(element);
      return { took: performance.now() - began, problem };
    }, `// ${comment}\n${script}`);
    if (problem) throw new Error(`A script of the comparison failed in Chromium: ${problem}`);
    return took;
  } finally {
    await context.close();
  }
}

const scripts = [
  { name: 'location-sdk, for a relay', text: await file('location-sdk.relay.global.js') },
  { name: 'location-sdk, only locating', text: await file('location-sdk.locate.global.js') },
  { name: 'location-sdk', text: await file('location-sdk.global.js') },
  { name: 'location-sdk with the outbox', text: await file('location-sdk.outbox.global.js') },
  { name: 'radar-sdk-js', text: await bundle('radar-sdk-js', '* as all') },
  { name: '@segment/analytics-next', text: await readFile(new URL(SEGMENT, import.meta.url), 'utf8') },
  { name: '@sentry/browser', text: await bundle('@sentry/browser', '{ captureException, init }') },
];
const { path, env } = await testedChromium();
const browser = await chromium.launch({ executablePath: path, env, args: ['--no-sandbox', '--disable-gpu'] });
try {
  let evaluations = 0;
  const lanes = scripts.map(({ name, text }) => ({
    key: name,
    name,
    async turn() {
      evaluations += 1;
      const took = await evaluate(browser, text, String(evaluations));
      return { times: 1, took, processor: took };
    },
  }));
  // The first ones warm the browser up.
  for (const { turn } of lanes) await turn();
  const results = await compare(lanes);
  const [first = { name: '', text: '' }] = scripts;
  const bytesOf = (/** @type {string} */ text) => gzipSync(text, { level: 9 }).byteLength;
  tell(
    'Scripts of a page',
    `${markdownTable([
      ['', 'bytes, gzip -9', 'as large', 'ms, four times slower', 'as long'],
      ...scripts.map(({ name, text }) => [
        name,
        whole(bytesOf(text)),
        `${fixed(bytesOf(text) / bytesOf(first.text))} ×`,
        fixed(1_000 / median(resultOf(results, name).rates), 1),
        `${fixed(median(ratios(results, first.name, name).clock))} ×`,
      ]),
    ])}

The time is that to parse, compile and run the script in Chromium, with the processor slowed down four times. Ours and Segment's are the files as they are shipped. Radar's is bundled with all that it exports, Sentry's with init and captureException, minified.`,
  );
} finally {
  await browser.close();
}
