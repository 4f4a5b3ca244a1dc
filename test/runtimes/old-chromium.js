// Old Chromium from npm: near the floor of `build/floor.js`, where phones without updates are.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { betUser } from './players.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * Unpacks a Chromium once and keeps it. Undefined if npm left its package out. It has no font: `env` is that of the
 * browser tests, which names some.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
export function findOldChromium(name, env) {
  const packed = join(here, 'node_modules', name, 'bin');
  if (!existsSync(packed)) return undefined;
  const folder = join(here, 'node_modules/.cache', name);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    for (const part of ['chromium', 'swiftshader.tar', 'aws.tar'])
      writeFileSync(join(fresh, part), brotliDecompressSync(readFileSync(join(packed, `${part}.br`))));
    for (const part of ['swiftshader.tar', 'aws.tar']) {
      const { status, stderr } = spawnSync('tar', ['xf', part], { cwd: fresh, encoding: 'utf8' });
      if (status !== 0) throw new Error(`tar could not unpack ${part}: ${stderr}`);
      rmSync(join(fresh, part));
    }
    chmodSync(join(fresh, 'chromium'), 0o755);
    renameSync(fresh, folder);
  }
  return { path: join(folder, 'chromium'), env: { ...env, LD_LIBRARY_PATH: join(folder, 'lib') } };
}

const FILES = ['location-sdk.global.js', 'location-sdk.relay.global.js', 'location-sdk.outbox.global.js'];

/** Reports a bet with each script-tag file, in a frame of its own, and with an outbox where there is one. */
export const oldBrowserPage = `<!doctype html><meta charset="utf-8"><title>location-sdk</title><body>
<script>
  function load(file, prepare) {
    return new Promise(function (resolve, reject) {
      const frame = document.body.appendChild(document.createElement('iframe'));
      const scope = frame.contentWindow;
      const coords = { latitude: 6.4474, longitude: 7.5139, accuracy: 20 };
      Object.defineProperty(scope.navigator, 'geolocation', {
        value: { getCurrentPosition: function (found) { found({ coords: coords, timestamp: Date.now() }); } },
      });
      scope.onerror = reject;
      prepare(scope);
      const script = scope.document.createElement('script');
      script.src = '/' + file;
      script.onload = function () { resolve(scope.LocationSDK); };
      scope.document.body.appendChild(script);
    });
  }
  async function report(file) {
    const sdk = await load(file, function () {});
    const client = sdk.createClient({ relayUrl: location.origin + '/relay' });
    const words = (error) => sdk.playerMessage(error).situation;
    const bet = await client.reportBetEvent({ bet_id: 'BET-' + file, amount: 1500 });
    const misspelt = await client.reportBetEvent({ bet_id: 'BET-2', ammount: 1500 }).catch(words);
    const refused = await client.verifyNin({ nin: '99012345678' }).catch((error) => error.code);
    const said = [sdk.unsupported, bet.outcome, misspelt, refused];
    if (sdk.createOutbox) {
      const outbox = sdk.createOutbox({ client, store: await sdk.indexedDbStore({ player: '${betUser.user_id}' }) });
      outbox.start();
      const { done } = await outbox.reportBetEvent({ bet_id: 'BET-stored', amount: 1500 });
      said.push((await done).outcome);
      await outbox.stop();
    }
    return said.join(' ');
  }
  async function refuse(file) {
    let line;
    const sdk = await load(file, function (scope) {
      scope.console.error = function (text) { line = text; };
      delete scope.BigInt;
    });
    try {
      sdk.createClient({ relayUrl: location.origin + '/relay' });
    } catch (error) {
      return error.code + ' ' + (sdk.unsupported === line);
    }
  }
  async function run() {
    const outcomes = [];
    for (const file of ${JSON.stringify(FILES)}) outcomes.push(await report(file), await refuse(file));
    return { outcomes: outcomes, agent: navigator.userAgent };
  }
  run()
    .catch(function (error) { return { problem: String(error && error.stack) }; })
    .then(function (said) { fetch('/done', { method: 'POST', body: JSON.stringify(said) }); });
</script>`;

const EXPECTED = FILES.flatMap((file) => [
  ` recorded entries configuration${file.includes('outbox') ? ' recorded' : ''}`,
  'configuration true',
]);

/** @param {import('./in-browser.js').Run} run */
export function judgeOldBrowser({ said: { outcomes }, reports }) {
  const wrong = [];
  if (String(outcomes) !== String(EXPECTED)) wrong.push(`the page got ${outcomes}, not ${EXPECTED}`);
  const where = reports.filter(({ body }) => JSON.stringify(body).includes('"latitude":6.4474'));
  if (where.length !== FILES.length + 1) wrong.push(`the gateway has ${JSON.stringify(reports)}`);
  return wrong;
}
