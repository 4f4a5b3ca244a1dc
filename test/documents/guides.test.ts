import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { readRelaySettings } from '../../src/http/relay/relay-options.js';
import { expectFreshBuild } from '../support/built.js';
import { guides } from '../support/documents.js';
import { root, runNode } from '../support/run.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

test('every link within and between the guides leads to a heading', () => {
  const anchors = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
  let count = 0;
  for (const name of [...guides, 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'test/README.md']) {
    const links = [...read(name).matchAll(/\]\(([\w./-]*\.md)?#([^)]+)\)/g)];
    const target = (file: string | undefined) => (file ? join(dirname(name), file) : name);
    expect(
      links
        .filter(([, file, anchor = '']) => !anchors(read(target(file))).includes(anchor))
        .map(([link]) => `${name} ${link}`),
    ).toEqual([]);
    count += links.length;
  }
  expect(count).toBeGreaterThan(40);
});

describe('a page with which a reader begins says first that the authority decides the unit of amounts', () => {
  test.each([
    'README.md',
    'docs/start/backend.md',
    'docs/start/page.md',
    'docs/how-to/going-live.md',
    'docs/reference/methods.md',
  ])('%s', (name) => {
    const [first = ''] = read(name)
      .split('\n')
      .filter((line) => /\b(?:amounts?|stake)\b/.test(line));
    expect(first).toMatch(/naira or kobo.*assumptions\.md#amounts/);
  });
});

test('the policy of the guide is that of the example site', () => {
  const [, policy = ''] =
    /^Content-Security-Policy: (.*?)\nPermissions-Policy/ms.exec(read('docs/how-to/browser.md')) ?? [];
  const served = [...read('examples/web/server.js').matchAll(/"(default-src[^"]*|frame-ancestors[^"]*)"/g)]
    .map(([, text]) => text)
    .join('');
  expect(policy.replace(/\s+/g, ' ')).toBe(served);
});

test('the hosts that the guide adds to connect-src are those that a page without a relay asks', async () => {
  const asked: string[] = [];
  const client = createClient({
    fetch: (url) => {
      asked.push(new URL(url).origin);
      return Promise.reject(new TypeError('fetch failed'));
    },
  });
  await client.locate({ clientIP: '102.89.23.45' }).catch(() => undefined);
  const [, hosts = ''] =
    /^\| a client without `relayUrl` .*their hosts in `connect-src`: `(.*)` \|$/m.exec(
      read('docs/how-to/browser.md'),
    ) ?? [];
  expect(hosts.split(' ')).toEqual(asked);
});

describe('the guide to the relay', () => {
  const guide = read('docs/how-to/relay.md');

  test('names every option with its default', () => {
    const settings = readRelaySettings({ client: createClient(), authorize: () => null });
    const [, table = ''] = /^## Options\n(.*?)^## /ms.exec(guide) ?? [];
    const rows = [...table.matchAll(/^\| (`.*?`) \| (.*?) \|/gm)].flatMap(([, names = '', standard = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, standard] as const),
    );
    const [, options = ''] =
      /export interface RelayOptions<.*?> \{\n(.*?)^\}/ms.exec(read('src/http/relay/relay-options.ts')) ?? [];
    const names = [...options.matchAll(/^ {2}(\w+)[?(:]/gm)].map(([, name]) => name);
    expect(rows.map(([name]) => name).sort()).toEqual(names.sort());
    const told = rows.filter(([, standard]) => /^[\d,]+(?:, a day)?$|^`'/.test(standard));
    expect(told).toHaveLength(6);
    for (const [name, standard] of told)
      expect(standard.replaceAll(/, a day|[`',]/g, '')).toBe(String(settings[name as keyof typeof settings]));
  });
});

test('the test that the guide to web pages names runs', { timeout: 30_000 }, async () => {
  expectFreshBuild();
  const { code, output } = await runNode(['--test', join(root, 'examples/relay.test.mjs')]);
  expect([code, output]).toEqual([0, expect.stringMatching(/pass 1\n/)]);
});
