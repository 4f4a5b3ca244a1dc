import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES } from '../mutation/rules.js';
import { inlineCode } from '../support/code-blocks.js';
import { guides } from '../support/documents.js';
import { root } from '../support/run.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const contributing = read('CONTRIBUTING.md');
/** The pages for contributors. */
const pages = ['CONTRIBUTING.md', ...guides.filter((name) => name.startsWith('docs/maintaining/')), 'test/README.md'];

/** The files of a folder, without packages, and without the folders of other tests, which come and go. */
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    return entry.isDirectory() ? filesIn(path) : [path];
  });

const FOLDERS = ['.ci', '.github', 'bench', 'bin', 'build', 'docs', 'examples', 'pages', 'scripts', 'src', 'test'];
const all = [...readdirSync(root), ...FOLDERS.flatMap(filesIn)].map((path) => `/${path}`);

/** Made by the build, by a command or by the system, and names that stand for others. */
const NOT_HERE = /^(?:dist|node_modules|release|site|\/)|^@|^node:|results\.md$/;

test('the guide to contributing is short', () => {
  expect(Buffer.byteLength(contributing)).toBeLessThan(8_000);
});

describe('every file and folder that the pages for contributors name exists', () => {
  const words = [...new Set(pages.flatMap((page) => inlineCode(read(page)).map(({ code }) => code)))];
  const paths = words.filter(
    (word) => /^[\w.*/-]+(?:\/|\.(?:ts|js|json|sh|yml|md))$/.test(word) && !NOT_HERE.test(word),
  );

  test('some are found', () => {
    expect(paths.length).toBeGreaterThan(100);
    expect(paths).toEqual(
      expect.arrayContaining([
        'core/client/check-call.ts',
        'src/core/delivery/failures.ts',
        'http/',
        'pause.ts',
        'test/mutation/equivalent.json',
        'outbox/world.ts',
      ]),
    );
  });

  test.each(paths)('%s', (path) => {
    const pattern = new RegExp(
      `/${path.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}${path.endsWith('/') ? '' : '(?:/|$)'}`,
    );
    expect(all.some((file) => pattern.test(file))).toBe(true);
  });
});

test('the table of folders has every folder of src, and src holds nothing else', () => {
  const rows = [...contributing.matchAll(/^\| ((?:`[\w-]+\/`(?:, )?)+) \|/gm)].flatMap(
    ([, folders = '']) => folders.match(/[\w-]+(?=\/)/g) ?? [],
  );
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true });
  expect(folders.filter((entry) => !entry.isDirectory())).toEqual([]);
  expect(rows.sort()).toEqual(folders.map(({ name }) => name).sort());
});

test('a test file that replaces modules or names an environment is listed in ALONE', () => {
  const [, list = ''] = /const ALONE = \[([^\]]*)\]/.exec(read('vitest.config.ts')) ?? [];
  const alone = [...list.matchAll(/'([^']+)'/g)].map(([, file]) => file);
  const replacing = filesIn('test').filter(
    (file) => file.endsWith('.test.ts') && /^(?:\/\/ @vitest-environment|\s*vi\.(?:mock|doMock)\()/m.test(read(file)),
  );
  expect(replacing.length).toBeGreaterThan(4);
  expect(replacing.filter((file) => !alone.includes(file))).toEqual([]);
});

test('every rule file that is mutated exists', () => {
  expect(RULES.filter((file) => !all.includes(`/${file}`))).toEqual([]);
});

test('npm test leaves out no test of a rule', () => {
  const tests = RULES.map((file) => file.replace('src/', 'test/').replace('.ts', '.test.ts')).filter((file) =>
    all.includes(`/${file}`),
  );
  expect(tests.length).toBeGreaterThan(8);
  expect(tests.filter((file) => /@module-tag slow|tags: 'slow'/.test(read(file)))).toEqual([]);
});
