import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Window } from 'happy-dom';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, memoryStore } from '../../src/entries/outbox.js';
import {
  type CodeBlock,
  codeBlocks,
  commandsOf,
  copiedFiles,
  fencesIn,
  inlineCode,
  inlineScripts,
} from '../support/code-blocks.js';
import { problemOf } from '../support/commands.js';
import { guides } from '../support/documents.js';
import { root } from '../support/run.js';
import { typeCheck } from '../support/type-check.js';

/** Checks every block of code in every document. A new document needs no entry. */

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'examples/README.md',
  'examples/express-typescript/README.md',
  'examples/nestjs/README.md',
  'examples/next/README.md',
  'examples/react/README.md',
  'examples/vue-svelte-jquery/README.md',
  'test/README.md',
  ...guides,
];
const all = documents.flatMap((document) => codeBlocks(read(document)).map((block) => ({ document, ...block })));
const inLanguage = (...languages: string[]) => all.filter(({ language }) => languages.includes(language));
const nameOf = ({ document, line }: { document: string; line: number }) => `${document}:${line}`;

/** Languages whose blocks are not checked here, and why. */
const NOT_CHECKED: Readonly<Record<string, string>> = {
  yaml: 'read by services that are not part of the project',
  dockerfile: 'read by services that are not part of the project',
  ini: 'read by services that are not part of the project',
  python: 'a language that the project does not use',
  java: 'a language that the project does not use',
  csharp: 'a language that the project does not use',
  php: 'a language that the project does not use',
  go: 'a language that the project does not use',
  ruby: 'a language that the project does not use',
  kotlin: 'a language that the project does not use',
  text: 'the output of a program',
  mermaid: 'a picture',
  sql: 'run by a real server: test/documents/backend-with-postgresql.postgres.test.ts',
};

const CHECKED = ['ts', 'js', 'json', 'sh', 'html', 'http'];

/** Blocks of JavaScript that no test runs, by words in them, and why. All other JavaScript is run. */
const SHOWN_ONLY: readonly { document: string; has: string; why: string }[] = [
  {
    document: 'docs/how-to/import.md',
    has: 'required: false',
    why: 'options for a command; test/cli/import/import.test.ts runs the import with them',
  },
  {
    document: 'docs/how-to/browser.md',
    has: 'LocationSDK.createClient',
    why: 'a part of a page; the pages of test/browser do the same',
  },
  {
    document: 'docs/how-to/player-messages.md',
    has: 'async function report(bet)',
    why: 'a part of a page; the pages of test/browser do the same',
  },
  {
    document: 'docs/how-to/player-messages.md',
    has: 'wordsFor',
    why: 'a part of a page; test/core/errors/player-message.test.ts does the same',
  },
  {
    document: 'docs/how-to/location.md',
    has: 'LocationSDK.locationPermission',
    why: 'a part of a page; test/browser/location.test.ts does the same',
  },
  {
    document: 'docs/how-to/going-live.md',
    has: '// options.mjs',
    why: 'options for a gateway outside this project; test/cli/check.test.ts runs the check with a file of options',
  },
];

/** Inline code that only looks like a command. */
const NO_COMMANDS = ['location-sdk player '];

/** The tests that run JavaScript, by words in the block. */
const RUN_BY: readonly { document: string; has: string; by: string }[] = [
  { document: 'docs/index.md', has: 'sqliteStore', by: 'test/documents/readme.test.ts' },
  { document: 'README.md', has: '// report.mjs', by: 'test/documents/readme.test.ts' },
  { document: 'README.md', has: 'verifyNin', by: 'test/documents/readme.test.ts' },
  { document: 'docs/start/backend.md', has: '// backend.mjs', by: 'test/documents/readme.test.ts' },
  ...['reporting.mjs', 'bets.mjs', 'worker.mjs'].map((file) => ({
    document: 'docs/start/backend-with-postgresql.md',
    has: `// ${file}`,
    by: 'test/documents/backend-with-postgresql.postgres.test.ts',
  })),
  {
    document: 'docs/how-to/deploy.md',
    has: '// drain.mjs',
    by: 'test/documents/backend-with-postgresql.postgres.test.ts',
  },
  { document: 'docs/how-to/deploy.md', has: '// cron.mjs', by: 'test/documents/cron.test.ts' },
  { document: 'docs/start/ci.md', has: 'node:test', by: 'test/package/first-minutes.test.ts' },
  { document: 'docs/start/page.md', has: '// server.mjs', by: 'test/package/first-minutes.test.ts' },
  { document: 'docs/how-to/browser.md', has: '// webpack.config.js', by: 'test/package/old-bundlers.test.ts' },
  { document: 'docs/how-to/mock-gateway.md', has: 'gateway.faults.', by: 'test/documents/mock-gateway.test.ts' },
];

/** Newer than this project's types of Node.js. */
const NODE_SQLITE = `declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(file: string);
    exec(sql: string): void;
    prepare(sql: string): { run(...values: unknown[]): unknown };
    close(): void;
  }
}`;

/** The part of Playwright's own runner that an example uses: this project has its library alone. */
const PLAYWRIGHT = `declare module '@playwright/test' {
  import type { Locator, Page } from 'playwright-core';
  export function test(name: string, run: (given: { page: Page }) => Promise<void>): void;
  export function expect(locator: Locator): { toHaveText(text: string): Promise<void> };
  export function expect<T>(value: readonly T[]): { toHaveLength(length: number): void };
}
declare module '*/bet.js';
declare module '*/place.js';`;

/** The parts of modules for apps that a guide uses. test/frameworks/react-native.test.ts compiles it with their own types. */
const APP = `interface Found<Accuracy> {
  coords: { latitude: number; longitude: number; accuracy: Accuracy };
  timestamp: number;
}
declare module '@react-native-community/geolocation' {
  const geolocation: {
    getCurrentPosition(
      found: (position: Found<number>) => void,
      failed?: (error: { code: number; message: string }) => void,
      options?: { timeout?: number; maximumAge?: number; enableHighAccuracy?: boolean },
    ): void;
  };
  export default geolocation;
}
declare module '@react-native-async-storage/async-storage' {
  const storage: {
    getItem(name: string): Promise<string | null>;
    setItem(name: string, value: string): Promise<void>;
    removeItem(name: string): Promise<void>;
  };
  export default storage;
}
declare module 'expo-location' {
  export function requestForegroundPermissionsAsync(): Promise<{ granted: boolean }>;
  export function getCurrentPositionAsync(): Promise<Found<number | null>>;
}`;

/** Sessions, records and counters of the reader of a guide. */
const YOURS = `import type { BetUser, Location, WithdrawalUser } from 'location-sdk';
interface Player { id: string; betUser: BetUser; withdrawalUser: WithdrawalUser }
interface Entry { owner: string; fields: { amount: number; timestamp: string; location?: Location } }
export declare const sessions: { find(cookie: string | null): Promise<Player | undefined> };
export declare const records: {
  find(id: unknown): Promise<Entry | undefined>;
  accept(id: string, at: Location | undefined): Promise<void>;
  doubt(id: string | undefined): Promise<void>;
};
export declare const limiter: { isOver(player: string): Promise<boolean> };`;

/** The variable of single lines about a mock gateway. */
const GATEWAY =
  "/** @type {import('location-sdk/mock').MockGateway} */ const gateway = (await import('location-sdk/mock')).createMockGateway();";

const withGateway = ({ language, code }: CodeBlock) =>
  language === 'js' && code.includes('gateway.') && !/(?:const|let|var) gateway\b/.test(code) ? GATEWAY + code : code;

/** A short example does not check that an element of its own page exists. */
const strictOnlyAboutUs = (script: string) =>
  script
    .replace(/querySelector\(('[^']+')\)\./g, 'querySelector($1)?.')
    .replace(/= (document\.querySelector\('(\w+)'\));/g, "= /** @type {HTMLElementTagNameMap['$2']} */ ($1);");

test('every block is found, and names a known language', () => {
  for (const document of documents) expect(codeBlocks(read(document)).length, document).toBe(fencesIn(read(document)));
  expect(all.filter(({ language }) => !CHECKED.includes(language) && !(language in NOT_CHECKED)).map(nameOf)).toEqual(
    [],
  );
});

describe("the compiler's messages for the examples", { tags: 'slow' }, () => {
  const modules = inLanguage('ts', 'js').map((block) => [
    `${nameOf(block).replace(/\W/g, '-')}.${block.language}`,
    withGateway(block),
  ]);
  const scripts = inLanguage('html').flatMap((block) =>
    inlineScripts(block.code).map((script, index) => [
      `${nameOf(block).replace(/\W/g, '-')}-${index}.html.js`,
      strictOnlyAboutUs(script),
    ]),
  );
  // Examples whose packages this project does not install.
  const copied = [
    'page-tests/place.test.js',
    'page-tests/bet.spec.js',
    'page-tests/bet.test.js',
    'app/place-bet.ts',
    'app/expo-place.ts',
    'app/expo-geolocation.ts',
  ].map((name) => [`examples-${name.replaceAll('/', '-')}`, read(`examples/${name}`)]);
  // The modules that other modules of a guide import by their names.
  const named = inLanguage('js').flatMap(({ document, code }) => {
    const [, name] = /^\/\/ (\S+\.mjs)\n/.exec(code) ?? [];
    const isProject = ['docs/start/backend-with-postgresql.md', 'docs/how-to/deploy.md'].includes(document);
    return isProject && name ? [[name, code]] : [];
  });
  const copiedByTutorial = guides
    .flatMap((guide) => copiedFiles(read(guide)))
    .flatMap(({ name, code }) => (name.endsWith('.mjs') ? [[name, code]] : []));

  // The readme's blocks again, unchanged.
  const readme = codeBlocks(
    ['README.md', 'docs/start/backend.md', 'docs/start/page.md', 'docs/start/page-with-relay.md'].map(read).join('\n'),
  );
  const readmeModules = readme
    .filter(({ language }) => language === 'js' || language === 'ts')
    .map(({ language, code, line }) => [`readme-line-${line}.${language}`, code]);
  const readmeScripts = readme
    .filter(({ language }) => language === 'html')
    .flatMap(({ code, line }) =>
      inlineScripts(code).map((script) => [`readme-line-${line}.html.js`, strictOnlyAboutUs(script)]),
    );
  const pages = ['bet.html', 'stored-reports.html'].flatMap((name) =>
    inlineScripts(read(`examples/${name}`)).map((script) => [`${name}.js`, strictOnlyAboutUs(script)]),
  );
  // The backend adds the player, and a visitor can forge what the page sends.
  const withPlayer = [...pages, ...readmeScripts].map(([name, script = '']) => [
    `player-${name}`,
    script.replace('const bet = {', "const bet = { user: { nin: '99012345678' },"),
  ]);
  const ofReadme = [...readmeModules, ...readmeScripts, ...pages];

  const WRONG = 'page-with-a-module.html.js';
  let problems: string[];
  // In one run of the compiler, which takes seconds to read the sources.
  beforeAll(() => {
    const yours = ['yours.ts', YOURS];
    const wrong = [WRONG, "LocationSDK.ipinfo({ token: 'secret' });"];
    problems = typeCheck(
      Object.fromEntries([
        ...modules,
        ...copied,
        ...named,
        ...copiedByTutorial,
        ...scripts,
        ...ofReadme,
        ...withPlayer,
        yours,
        wrong,
      ]),
      {
        'node-sqlite.d.ts': NODE_SQLITE,
        'playwright.d.ts': PLAYWRIGHT,
        'app.d.ts': APP,
      },
    );
  }, 120_000);
  const isWrong = (problem: string) => problem.startsWith(WRONG);
  const isOfPlayer = (problem: string) => problem.startsWith('player-');
  const isOfReadme = (problem: string) => ofReadme.some(([name]) => problem.startsWith(`${name}:`));

  test('TypeScript and JavaScript, also of pages, fit the types', () => {
    expect(modules.length).toBeGreaterThan(30);
    expect(problems.filter((problem) => !isWrong(problem) && !isOfReadme(problem) && !isOfPlayer(problem))).toEqual([]);
  });

  test('the examples in the readme and in the example pages fit the types', () => {
    expect([readmeModules.length, readmeScripts.length, pages.length]).toEqual([6, 3, 2]);
    expect(problems.filter(isOfReadme)).toEqual([]);
  });

  test.each(withPlayer.map(([name]) => name))('%s: a page whose payload has the player is refused', (name) => {
    expect(problems.filter((problem) => problem.startsWith(`${name}:`))).toContainEqual(
      expect.stringContaining("'{ nin: string; }' is not assignable to type 'never'"),
    );
  });

  test('an example of a page that uses an export of the modules only is refused', () => {
    expect(problems.filter(isWrong)).toEqual([expect.stringContaining("'ipinfo' does not exist")]);
  });
});

test('JavaScript is run by a test, or the reason is listed', () => {
  const stray = inLanguage('js').filter(
    ({ document, code }) =>
      ![...RUN_BY, ...SHOWN_ONLY].some((entry) => entry.document === document && code.includes(entry.has)),
  );
  expect(
    stray.map(nameOf),
    'run these in a test and name it in RUN_BY, or say in SHOWN_ONLY why they are not run',
  ).toEqual([]);
  for (const { document, has, by } of RUN_BY) {
    expect(
      all.some((block) => block.document === document && block.code.includes(has)),
      `${document} has nothing with ${has}`,
    ).toBe(true);
    expect(read(by), `${by} does not read ${document}`).toContain(document.replace(/^docs\/|\.md$/g, ''));
  }
});

/** Languages whose lines cannot be broken: the output of a program, and texts of JSON. */
const UNBROKEN: readonly string[] = ['text', 'json'];

/** The address of a script-tag file, which cannot be broken: that of a release candidate is longer. */
const SCRIPT_ADDRESS = /^\s*src="\S+\.js"$/;

/** Pages with longer lines of code. */
const WIDE: readonly string[] = ['docs/how-to/player-messages.md'];

test('a line of code has 80 columns at most, so that it fits its box on the site', () => {
  const long = all
    .filter(
      ({ document, language }) =>
        ['README.md', ...guides].includes(document) && !UNBROKEN.includes(language) && !WIDE.includes(document),
    )
    .flatMap((block) =>
      block.code
        .split('\n')
        .filter((line) => line.length > 80 && !SCRIPT_ADDRESS.test(line))
        .map((line) => `${nameOf(block)} ${line}`),
    );
  expect(long).toEqual([]);
});

test('JSON is JSON', () => {
  for (const block of inLanguage('json')) expect(() => JSON.parse(block.code), nameOf(block)).not.toThrow();
});

test('pages are whole: every element is closed, every script has an end', () => {
  expect(inLanguage('html').length).toBeGreaterThan(1);
  for (const block of inLanguage('html')) {
    const { document } = new Window();
    document.body.innerHTML = block.code;
    const count = (pattern: RegExp) => block.code.match(pattern)?.length ?? 0;
    expect(document.querySelectorAll('script').length, nameOf(block)).toBe(count(/<script\b/g));
    expect(count(/<\/script>/g), nameOf(block)).toBe(count(/<script\b/g));
    expect(count(/<button\b/g), nameOf(block)).toBe(count(/<\/button>/g));
  }
});

test('headers have names and values', () => {
  for (const block of inLanguage('http'))
    for (const line of block.code.trim().split('\n'))
      expect(line, nameOf(block)).toMatch(/^(?:[A-Za-z-]+: \S|\s+\S|[A-Z]+ \/|HTTP\/|$)/);
});

const inline = documents.flatMap((document) => inlineCode(read(document)).map((piece) => ({ document, ...piece })));

describe('commands', () => {
  const lines = inLanguage('sh').flatMap((block) => commandsOf(block).map((line) => ({ where: nameOf(block), line })));
  const inText = inline
    .filter(
      ({ code }) => /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|location-sdk) [a-z-]/.test(code) && !NO_COMMANDS.includes(code),
    )
    .map((piece) => ({ where: nameOf(piece), line: piece.code }));
  const each = [...lines, ...inText].flatMap(({ where, line }) =>
    line.split(/ && | \|\| | \| (?=[a-z])|(?<!['"]) & (?!#)/).map((command) => ({ where, command })),
  );

  test.each(each)('$where $command', ({ command, where }) => {
    expect(problemOf(command, dirname(where))).toBeUndefined();
  });

  test('commands within a sentence are among them', () => {
    expect(inText.length).toBeGreaterThan(40);
  });

  test.each([
    'npx location-sdk none',
    'npx location-sdk chekc --environment …',
    'npx location-sdk check --enviroment staging',
    'npx location-sdk check --environment stagging',
    'npx location-sdk check --environment …  --raport check.md',
    'npx location-sdk check --repotr …',
    'npx location-sdk mock --port none',
    'npx location-sdk mock raedy --wait',
    'npx location-sdk outbox <file> lits',
    'npx location-sdk outbox <file> list --as recorded',
    'npm run none',
    'npm --prefix bench run none',
    'node none.js',
    'node --test none.js',
    'nonesuch',
  ])('would be refused: %s', (command) => {
    expect(problemOf(command)).toBeDefined();
  });
});

describe('a name within a sentence exists', () => {
  const client = createClient();
  const gateway = createMockGateway();
  const outbox = createOutbox({ client, store: memoryStore() });
  const known: Readonly<Record<string, object>> = { client, gateway, outbox };
  const isFile = (code: string) => /^[\w./-]+\.(?:m?[jt]s|md|db)$/.test(code);
  const uses = inline
    .filter(({ code }) => !isFile(code) && !code.includes('const client'))
    .flatMap((piece) =>
      [...piece.code.matchAll(/(?<![\w./])(client|gateway|outbox)\.(?!example\.com|mjs\b)(\w+)/g)].map(
        ([, of = '', name = '']) => ({
          where: nameOf(piece),
          of,
          name,
        }),
      ),
    );

  test('some were found', () => {
    expect(uses.length).toBeGreaterThan(20);
  });

  test.each(uses)('$where: $name of $of', ({ of, name }) => {
    expect(name in (known[of] ?? {})).toBe(true);
  });
});
