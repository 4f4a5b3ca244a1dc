import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../src/node/index.js';
import { expectFreshBuild } from './support/built.js';
import { codeBlocks, commandsOf, inlineScripts } from './support/code-blocks.js';
import { root, runNode } from './support/run.js';
import { typeCheck } from './support/type-check.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const readme = read('README.md');
const blocks = codeBlocks(readme);
const inLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

test('the readme begins with the two commands that show and test the package', () => {
  expect(inLanguage('sh').flatMap(commandsOf).slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
  expect(blocks[0]?.language).toBe('sh');
});

test('the readme is short', () => {
  expect(readme.split('\n').length).toBeLessThan(250);
});

test('the examples in the readme and in the example pages fit the types', { timeout: 60_000 }, () => {
  const modules = inLanguage('js', 'ts').map(({ language, code, line }) => [`readme-line-${line}.${language}`, code]);
  const scripts = inLanguage('html').flatMap(({ code, line }) =>
    inlineScripts(code).map((script) => [`readme-line-${line}.html.js`, strictOnlyAboutUs(script)]),
  );
  const pages = ['bet.html', 'page.html'].flatMap((name) => inlineScripts(read(`examples/${name}`)).map((script) => [`${name}.js`, strictOnlyAboutUs(script)]));
  expect([modules.length, scripts.length, pages.length]).toEqual([3, 1, 2]);
  expect(typeCheck(Object.fromEntries([...modules, ...scripts, ...pages]))).toEqual([]);
});

test('an example of a page that uses what only modules have is refused', { timeout: 60_000 }, () => {
  expect(typeCheck({ 'page.html.js': "LocationSDK.ipinfo({ token: 'secret' });" })).toEqual([expect.stringContaining("'ipinfo' does not exist")]);
});

/** A short example does not say that an element of its own page exists. */
const strictOnlyAboutUs = (script: string) => script.replace(/querySelector\(('[^']+')\)\./g, 'querySelector($1)?.');

test('every file that a document links to exists', () => {
  for (const document of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/assumptions.md', 'examples/README.md']) {
    const links = [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(join(root, document, '..', link)))).toEqual([]);
  }
});

describe('the examples in the readme run', () => {
  let folder: string;
  beforeAll(async () => {
    expectFreshBuild();
    // Inside the package, so that it finds itself by its name.
    folder = await mkdtemp(join(root, 'test/.readme-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const save = async (name: string, code: string) => {
    const path = join(folder, name);
    await writeFile(path, ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } }).outputText);
    return path;
  };

  test('on a backend, with LOCATION_SDK_MOCK', { timeout: 30_000 }, async () => {
    const server = await serve();
    const path = await save('backend.mjs', inLanguage('ts')[0]?.code ?? '');
    const { code, output } = await runNode([path], { LOCATION_SDK_MOCK: server.url });
    await server.close();
    expect([code, output]).toEqual([0, expect.stringContaining('LOCATION_SDK_MOCK is set')]);
    expect(server.gateway.reports().map(({ operation }) => operation)).toEqual([
      'reportBetEvent',
      'reportSettledBet',
      'reportWithdrawalEvent',
      'reportSettledWithdrawal',
    ]);
  });

  test('in a unit test', { timeout: 30_000 }, async () => {
    const path = await save('unit.test.mjs', inLanguage('js').find(({ code }) => code.includes('node:test'))?.code ?? '');
    const { code, output } = await runNode(['--test', path]);
    expect([code, output]).toEqual([0, expect.stringMatching(/pass 1\n/)]);
  });
});
