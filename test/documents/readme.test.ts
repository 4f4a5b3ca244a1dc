import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockGateway } from '../../src/entries/mock.js';
import { serve } from '../../src/entries/node.js';
import { expectFreshBuild } from '../support/built.js';
import { codeBlocks, commandsOf, copiedFiles } from '../support/code-blocks.js';
import { guides, readGuides } from '../support/documents.js';
import { betEvent } from '../support/factories.js';
import { freePort } from '../support/free-port.js';
import { root, runNode } from '../support/run.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const readme = read('README.md');
/** The readme's quick starts, then the tutorials, which go on from there. */
const tutorials = readGuides('start/backend', 'start/page', 'start/ci', 'start/which-stack');
const blocks = codeBlocks(`${readme}\n${tutorials}`);
const inLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

test('the readme begins with the two commands that show and test the package', () => {
  expect(inLanguage('sh').flatMap(commandsOf).slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
  expect(blocks[0]?.language).toBe('sh');
});

test('the readme names the npm package before the commands of a clone', () => {
  const [first = ''] = /`(npm [^`]+)`/.exec(readme)?.slice(1) ?? [];
  expect(first).toBe('npm install location-sdk');
  const clone = readme.indexOf('In a clone of the repository');
  expect(clone).toBeGreaterThan(readme.indexOf('npm install location-sdk'));
  for (const command of ['npm ci', 'npm run', 'npm test'])
    expect(readme.indexOf(command), command).toBeGreaterThan(clone);
});

test('the readme and the list before going live name the Node.js of package.json', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  expect(engines.node).toBe('>=20.19');
  for (const name of ['README.md', 'docs/how-to/going-live.md'])
    expect(read(name)).toMatch(/Node\.js (?:is )?20\.19 or newer/);
});

test('the first screens say whether the version is a release candidate', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  for (const name of ['README.md', 'docs/index.md'])
    expect(read(name).includes('a release candidate'), name).toBe(version.includes('-rc.'));
});

test('the changelog gives a version a date only when it is released', () => {
  const changelog = read('CHANGELOG.md');
  const headings = changelog.match(/^## .*$/gm) ?? [];
  expect(headings.length).toBeGreaterThan(0);
  expect(
    headings.filter(
      (heading) => !/^## (?:Unreleased|\d+\.\d+\.\d+(?:-rc\.\d+)? - (?:Unreleased|\d{4}-\d{2}-\d{2}))$/.test(heading),
    ),
  ).toEqual([]);
  if (headings.length === 1) expect(changelog).not.toMatch(/\b[Rr]eleases? carr|\bprovenance\b/);
});

test('the readme is short', () => {
  expect(readme.split('\n').length).toBeLessThan(130);
});

test('every file that a document links to exists', () => {
  for (const document of [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...guides,
    'examples/README.md',
    'test/README.md',
  ]) {
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
    await writeFile(path, code);
    return path;
  };

  const examples = [...inLanguage('js'), ...copiedFiles(tutorials)];
  const example = (text: string) => examples.find(({ code }) => code.includes(text))?.code ?? '';

  test('the first report, with LOCATION_SDK_MOCK', { timeout: 30_000 }, async () => {
    const server = await serve();
    const script = example('// report.mjs').replace('reports.db', join(folder, 'first.db'));
    const { code, output } = await runNode([await save('report.mjs', script)], { LOCATION_SDK_MOCK: server.url });
    await server.close();
    expect([code, output]).toEqual([0, expect.stringMatching(/^BET-\d+ recorded$/m)]);
    const reported = server.gateway.reports().map(({ operation }) => operation);
    expect(reported).toEqual(['reportBetEvent', 'reportSettledBet']);
  });

  test('a number is verified, with LOCATION_SDK_MOCK', { timeout: 30_000 }, async () => {
    const server = await serve();
    const path = await save('nin.mjs', example('verifyNin('));
    const { code, output } = await runNode([path], { LOCATION_SDK_MOCK: server.url });
    await server.close();
    expect([code, output]).toEqual([0, expect.stringMatching(/^true$/m)]);
  });

  test('the outbox of the front page, with LOCATION_SDK_MOCK', { timeout: 30_000 }, async () => {
    const [front = ''] = codeBlocks(read('docs/index.md')).map(({ code }) => code);
    const server = await serve(createMockGateway({ validation: 'partial' }));
    await save(
      'front.mjs',
      front.replace('reports.db', join(folder, 'reports.db')).replace('Client()', "Client({ validation: 'partial' })"),
    );
    const script = `
      import { report } from './front.mjs';
      const { done } = await report({ bet_id: 'B-1', user: { user_id: 'U-1' } }, '8.8.8.8');
      console.log((await done).outcome);
      process.exit();
    `;
    const { code, output } = await runNode([await save('front-run.mjs', script)], { LOCATION_SDK_MOCK: server.url });
    await server.close();
    expect([code, output]).toEqual([0, expect.stringMatching(/^recorded$/m)]);
  });

  test('the service for a backend in another language', { timeout: 30_000 }, async () => {
    const mock = await serve();
    const port = await freePort();
    const script = example('// service.mjs')
      .replace('4000', String(port))
      .replace('reports.db', join(folder, 'service.db'));
    const env = { ...process.env, LOCATION_SDK_MOCK: mock.url };
    const service = spawn(process.execPath, [await save('service.mjs', script)], { env, stdio: 'ignore' });
    const post = async (body: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
      return [response.status, await response.json()];
    };
    const report = JSON.stringify({ operation: 'reportBetEvent', payload: betEvent(), clientIP: '8.8.8.8' });
    await expect.poll(() => post(report).catch(() => undefined), { timeout: 20_000 }).toEqual([202, {}]);
    // The answer was lost: the same report again.
    expect(await post(report)).toEqual([202, {}]);
    const incomplete = JSON.stringify({ operation: 'reportSettledBet', payload: {} });
    expect(await post(incomplete)).toEqual([422, expect.objectContaining({ code: 'validation' })]);
    expect(await post('no report')).toEqual([400, { message: 'send JSON' }]);
    const number = JSON.stringify({ operation: 'verifyNin', payload: { nin: '99012345678' } });
    expect(await post(number)).toEqual([200, expect.objectContaining({ success: true, status: 200 })]);
    mock.gateway.faults.add({ operation: 'verifyNin', kind: 'status', status: 422 });
    expect(await post(number)).toEqual([422, expect.objectContaining({ code: 'unprocessable' })]);
    await expect.poll(() => mock.gateway.reports().length, { timeout: 20_000 }).toBe(1);
    const asked = (reference: string) =>
      post(JSON.stringify({ operation: 'receipt', payload: { operation: 'reportBetEvent', reference } }));
    const receipt = expect.objectContaining({ outcome: 'recorded', reference: 'BET-1' });
    await expect.poll(() => asked('BET-1'), { timeout: 20_000 }).toEqual([200, { receipt }]);
    expect(await asked('BET-none')).toEqual([200, {}]);
    const location = { latitude: 6.45, longitude: 3.39, accuracy: 20 };
    const placed = { operation: 'reportBetEvent', payload: betEvent({ bet_id: 'B-placed' }), location };
    expect(await post(JSON.stringify(placed))).toEqual([202, {}]);
    await expect.poll(() => mock.gateway.reports().length, { timeout: 20_000 }).toBe(2);
    expect(mock.gateway.reports()[1]?.body).toMatchObject({ location: { ...location, source: 'gps' } });
    // A failure of the store is none of the data.
    await rm(join(folder, 'service.db'));
    const later = { operation: 'reportBetEvent', payload: betEvent({ bet_id: 'B-later' }), clientIP: '8.8.8.8' };
    expect(await post(JSON.stringify(later))).toEqual([503, expect.objectContaining({ code: 'replaced' })]);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
    await mock.close();
  });

  test('on a backend, with LOCATION_SDK_MOCK, twice', { timeout: 30_000 }, async () => {
    const server = await serve();
    const path = await save('backend.mjs', example('// backend.mjs'));
    const operations = ['reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'];
    for (const _ of [1, 2]) {
      const { code, output } = await runNode([path], { LOCATION_SDK_MOCK: server.url });
      expect([code, output]).toEqual([0, expect.stringContaining('LOCATION_SDK_MOCK is set')]);
      expect(output.match(/^\w+(?= \S+ recorded$)/gm)).toEqual(operations);
    }
    await server.close();
    expect(server.gateway.reports().map(({ operation }) => operation)).toEqual([...operations, ...operations]);
  });
});

test('each quick start of the readme has at most 32 lines of code', () => {
  const long = codeBlocks(readme).filter(({ code }) => code.trim().split('\n').length > 32);
  expect(long.map(({ line }) => `README.md:${line}`)).toEqual([]);
});

test('each page of the guides says in its first lines who it is for', () => {
  const starts = guides
    .filter((name) => name !== 'docs/index.md')
    .map((name) => [name, read(name).split('\n')[2] ?? ''] as const);
  expect(starts.filter(([, first]) => !/^For /.test(first)).map(([name]) => name)).toEqual([]);
});
