// @module-tag slow: bundles, compiles or starts processes.
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();

/** Runs code in an app: only what React Native has is global. There are no streams, no `TextDecoder` and no WebCrypto. */
async function runInApp(contents: string, fetch: (url: string, init: RequestInit) => unknown): Promise<unknown> {
  const stdin = { contents, resolveDir: project };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: 'iife',
    conditions: ['react-native'],
    globalName: 'app',
    external: ['ky'],
    logLevel: 'silent',
  });
  /** Like that of React Native, it reads no IPv6 address. */
  class AppUrl extends URL {
    constructor(url: string, base?: string) {
      super(url, base);
      if (this.hostname.startsWith('[')) throw new TypeError(`Invalid URL: ${url}`);
    }
  }
  const scope = createContext({
    ...{ navigator: { product: 'ReactNative' }, URL: AppUrl, fetch, console },
    ...{ setTimeout, clearTimeout, AbortController, queueMicrotask },
  });
  runInContext(outputFiles[0]?.text ?? '', scope);
  return runInContext('app.default', scope);
}

const EVENT = `{ bet_id: 'B-1', amount: 5, location: { latitude: 6.5, longitude: 3.4, source: 'gps' } }`;

it.each(['location-sdk/page', 'location-sdk'])(
  'an app reports through the relay with %s, without a polyfill',
  async (name) => {
    const sent: unknown[] = [];
    const receipt = { outcome: 'recorded', operation: 'reportBetEvent', reference: 'B-1', environment: 'staging' };
    const fetch = async (url: string, { body }: RequestInit) => {
      sent.push([url, JSON.parse(String(body)).bet_id]);
      return { status: 200, headers: new Headers(), text: async () => JSON.stringify({ ...receipt, attempts: 1 }) };
    };
    const code = `import { createClient } from '${name}';
    const client = createClient({ relayUrl: 'https://shop.example/relay' });
    export default client.reportBetEvent(${EVENT});`;
    expect(await runInApp(code, fetch)).toMatchObject({ outcome: 'recorded', reference: 'B-1' });
    expect(sent).toEqual([['https://shop.example/relay/report-bet-event', 'B-1']]);
  },
);

it('has no path, so relayUrl is the whole address', async () => {
  const code = `import { createClient } from 'location-sdk/page';
    const use = async () => createClient({ relayUrl: '/relay' });
    export default use().catch(({ message }) => message);`;
  expect(await runInApp(code, () => expect.unreachable())).toMatch(
    /relayUrl: has no host, and an app has no address; give the whole address/,
  );
});

it.each([
  ['a key', `createClient({ gateways: { staging: { baseUrl: 'https://gateway.example', apiKey: 'key-in-an-app' } } })`],
  ['verifyNin', `createClient({ relayUrl: 'https://shop.example/relay' }).verifyNin('99000000001')`],
])('an app is a device of a visitor: %s is refused there, as in a page', async (_, use) => {
  const code = `import { createClient } from 'location-sdk';
    const use = async () => ${use};
    export default use().then(() => 'not refused', ({ code, message }) => code + ' ' + message);`;
  const refused = await runInApp(code, () => expect.unreachable());
  expect(refused).toMatch(/^configuration /);
  expect(refused).not.toContain('key-in-an-app');
});
