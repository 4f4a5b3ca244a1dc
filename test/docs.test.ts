import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../src/index.js';
import { readSettings } from '../src/relay/settings.js';
import { expectFreshBuild } from './support/built.js';
import { codeBlocks, inlineScripts } from './support/code-blocks.js';
import { root, runNode } from './support/run.js';
import { typeCheck } from './support/type-check.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const guides = readdirSync(join(root, 'docs')).map((name) => ({ name, blocks: codeBlocks(read(`docs/${name}`)) }));
const all = guides.flatMap(({ name, blocks }) => blocks.map((block) => ({ name, ...block })));

/** What a line of the fault cookbook is about. */
const GATEWAY = "/** @type {import('location-sdk/mock').MockGateway} */ const gateway = (await import('location-sdk/mock')).createMockGateway();";

/** `javascript` is what runs before there is a script to have types: the stub, which is run in a browser. */
const LANGUAGES = [
  'ts',
  'js',
  'javascript',
  'html',
  'http',
  'sh',
  'sql',
  'json',
  'yaml',
  'python',
  'java',
  'csharp',
  'php',
  'go',
  'ruby',
  'kotlin',
  'text',
  'mermaid',
];

test('the code of every guide fits the types', { timeout: 60_000 }, () => {
  const modules = all.filter(({ language }) => language === 'ts' || language === 'js');
  const texts = modules.map(({ name, line, language, code }) => {
    const isAlone = language === 'js' && code.includes('gateway.') && !/(?:const|let|var) gateway\b/.test(code);
    return [`${name}-line-${line}.${language}`, isAlone ? GATEWAY + code : code];
  });
  const scripts = all
    .filter(({ language }) => language === 'html')
    .flatMap(({ name, line, code }) => inlineScripts(code).map((script) => [`${name}-line-${line}.html.js`, script]));
  expect(new Set(modules.map(({ name }) => name))).toEqual(new Set(['browser.md', 'location.md', 'mock-gateway.md', 'outbox.md', 'relay.md', 'scale-out.md']));
  expect(typeCheck(Object.fromEntries([...texts, ...scripts]))).toEqual([]);
});

test('every block of a guide names a language that is known here', () => {
  expect(all.filter(({ language }) => !LANGUAGES.includes(language)).map(({ name, line, language }) => `${name}:${line} ${language}`)).toEqual([]);
  expect(all.filter(({ language }) => language === 'javascript').map(({ name }) => name)).toEqual(['browser.md']);
});

test('every link within and between the guides leads to a heading', () => {
  const anchors = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
  for (const name of ['browser.md', 'relay.md', 'scale-out.md', 'security.md']) {
    const links = [...read(`docs/${name}`).matchAll(/\]\(([\w-]*(?:\.md)?)#([^)]+)\)/g)];
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter(([, file, anchor = '']) => !anchors(read(`docs/${file || name}`)).includes(anchor)).map(([link]) => `${name} ${link}`)).toEqual([]);
  }
});

test('the policy of the guide is that of the example site', () => {
  const [, policy = ''] = /^Content-Security-Policy: (.*?)\nPermissions-Policy/ms.exec(read('docs/browser.md')) ?? [];
  const served = [...read('examples/web/server.js').matchAll(/"(default-src[^"]*|frame-ancestors[^"]*)"/g)].map(([, text]) => text).join('');
  expect(policy.replace(/\s+/g, ' ')).toBe(served);
});

describe('the guide to the relay', () => {
  const guide = read('docs/relay.md');

  test('names every option with its default', () => {
    const settings = readSettings({ client: createClient(), authorize: () => null });
    const [, table = ''] = /^## Options\n(.*?)^## /ms.exec(guide) ?? [];
    const rows = [...table.matchAll(/^\| (`.*?`) \| (.*?) \|/gm)].flatMap(([, names = '', standard = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, standard] as const),
    );
    const [, options = ''] = /export interface RelayOptions<.*?> \{\n(.*?)^\}/ms.exec(read('src/relay/options.ts')) ?? [];
    const names = [...options.matchAll(/^ {2}(\w+)[?(:]/gm)].map(([, name]) => name);
    expect(rows.map(([name]) => name).sort()).toEqual(names.sort());
    const told = rows.filter(([, standard]) => /^[\d,]+$|^`'/.test(standard));
    expect(told).toHaveLength(5);
    for (const [name, standard] of told) expect(standard.replaceAll(/[`',]/g, '')).toBe(String(settings[name as keyof typeof settings]));
  });
});

test('the test of the guide to web pages runs', { timeout: 30_000 }, async () => {
  expectFreshBuild();
  const code = all.find(({ name, code }) => name === 'browser.md' && code.includes('createMockGateway'))?.code ?? '';
  const folder = await mkdtemp(join(root, 'test/.docs-'));
  try {
    const path = join(folder, 'relay.mjs');
    await writeFile(path, code);
    expect((await runNode([path])).output).toBe('200 1\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});
