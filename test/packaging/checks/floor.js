import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from '../tools.js';

/** The oldest browsers for files that pages load. */
const BROWSERS = ['chrome 80', 'edge 80', 'firefox 78', 'safari 14', 'ios_saf 14', 'samsung 13'];

/** The entries that pages load, beside the script-tag files. */
const PAGE_ENTRIES = ['page.js', 'outbox-indexeddb.js'];

/**
 * Platform functions younger than the floor that the code uses where their absence was thought of, with the reason.
 * @type {[text: RegExp, why: string][]}
 */
const ALLOWED = [
  [/^globalThis\.navigator\?\.locks\b/, 'without locks, leases decide which tab sends'],
  [/^globalThis\.navigator\?\.storage\b/, 'without it, the browser promises nothing, and the store says so'],
  [/^Array\.from\(option\._zod\.values\)/, 'zod needs it for discriminated unions, of which there are none'],
];

const FOREIGN = 'another script of the page may have replaced or changed it; see src/core/platform/portable.ts';

/** @type {[selector: string, message: string][]} */
const SYNTAX = [
  ["CallExpression[callee.property.name='at']", 'at() is younger than the floor'],
  ['ForInStatement', 'for in also reads what another script has added to Object.prototype'],
  ['ChainExpression CallExpression > SpreadElement', 'Chrome 80 to 90 fail at ?. with a spread argument'],
  ["CallExpression[callee.property.name='entries'][callee.object.name!='Object']", `entries(): ${FOREIGN}`],
  ['CallExpression[callee.property.name=/^reduce(?:Right)?$/]', `reduce(): ${FOREIGN}`],
  ["CallExpression[callee.property.name='finally']", `finally(): ${FOREIGN}`],
  ["MemberExpression[object.name='Array'][property.name='from']", `Array.from: ${FOREIGN}`],
  ["MemberExpression[object.name='Promise'][property.name='allSettled']", `Promise.allSettled: ${FOREIGN}`],
  [
    ":not(CallExpression[callee.name='Number']) > CallExpression[callee.object.name='Date'][callee.property.name='now']",
    `Date.now() as it comes: ${FOREIGN}`,
  ],
  ["MemberExpression[object.name='Date'][property.name='parse']", `Date.parse: ${FOREIGN}`],
  [
    "MemberExpression[object.name='AbortSignal'][property.name=/^(?:any|timeout)$/]",
    'AbortSignal.any and timeout are younger than the floor',
  ],
];

/** The check must find each of these, otherwise finding none in the package proves nothing. */
const BAD = [
  'Object.hasOwn(a, "b")',
  '/(?<!a)b/.test(c)',
  'new RegExp("(?<=a)b")',
  'a.at(-1)',
  'a.replaceAll("b", "c")',
  'a.findLast(b)',
  'a.toSorted()',
  'Promise.any(a)',
  'new Error("a", { cause: b })',
  'a ??= b',
  'class A { #b; }',
  'class A { static {} }',
  'structuredClone(a)',
  'crypto.randomUUID()',
  'AbortSignal.timeout(1)',
  'AbortSignal.any([])',
  'await a',
  'for (const a in b) c(a)',
  'a?.(...b)',
  'Array.from(a, (b) => b)',
  'for (const [a, b] of c.entries()) d(a, b)',
  'a.reduce(b, c)',
  'a.then(b).finally(c)',
  'Promise.allSettled(a)',
  'Date.now() + 1',
  'Date.parse(a)',
];
const GOOD = [
  'a?.b ?? c',
  'Object.entries(a)',
  'Object.fromEntries(a)',
  'a.flatMap(b)',
  'Number(Date.now())',
  'new Date(a).getTime()',
  '/\\p{L}(?!a)/u.test(b)',
  'async function a() { for await (const b of c) d(b); }',
  'typeof BigInt',
  'a(...b)',
  'a.map(b).find(c)',
  'a.at',
];

async function makeLinter() {
  const [{ Linter }, { default: esx }, { default: compat }] = /** @type {[any, any, any]} */ (
    await Promise.all(['eslint', 'eslint-plugin-es-x', 'eslint-plugin-compat'].map(load))
  );
  const linter = new Linter();
  const newer = Object.entries(esx.configs['flat/restrict-to-es2020'].rules);
  const config = {
    files: ['**/*.js'],
    languageOptions: { ecmaVersion: 'latest', sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    plugins: { 'es-x': esx, compat },
    // The types of values are unknown here: a method counts by its name.
    settings: { 'es-x': { aggressive: true }, browsers: BROWSERS },
    rules: {
      // Lists have methods of the same names as the newer iterators.
      ...Object.fromEntries(newer.filter(([name]) => !name.startsWith('es-x/no-iterator-prototype-'))),
      // They also find a member that has this name.
      'es-x/no-array-prototype-at': 'off',
      'es-x/no-string-prototype-at': 'off',
      'es-x/no-regexp-lookbehind-assertions': 'error',
      'es-x/no-export-ns-from': 'error',
      'compat/compat': 'error',
      'no-restricted-syntax': ['error', ...SYNTAX.map(([selector, message]) => ({ selector, message }))],
    },
  };
  /** The uses in a text. @param {string} text @returns {string[]} */
  return (text) => {
    const lines = text.split('\n');
    const found = linter.verify(text, [config], { filename: 'page.js', allowInlineConfig: false });
    return found.flatMap(
      (/** @type {{ line: number, column: number, message: string, ruleId: string | null }} */ one) => {
        const place = (lines[one.line - 1] ?? '').slice(one.column - 1, one.column + 59);
        return ALLOWED.some(([allowed]) => allowed.test(place)) ? [] : [`${one.message}: ${place}`];
      },
    );
  };
}

/** A module of the build, and all that it imports. @param {string} dist @param {string} name @returns {string[]} */
const withImports = (dist, name) => [
  name,
  ...[...readFileSync(join(dist, name), 'utf8').matchAll(/(?:from|import) ?\(?['"]\.\/([^'"]+)['"]/g)].flatMap(
    ([, of = '']) => withImports(dist, of),
  ),
];

/** Files for pages run in the oldest browsers, and beside other scripts. @param {import('../run.js').Packed} packed */
export async function checkFloor({ installed }) {
  const dist = join(installed, 'dist');
  const usesIn = await makeLinter();
  const scripts = readdirSync(dist).filter((name) => name.endsWith('.global.js'));
  const names = [...new Set([...scripts, ...PAGE_ENTRIES.flatMap((name) => withImports(dist, name))])];
  const problems = names.flatMap((name) =>
    usesIn(readFileSync(join(dist, name), 'utf8')).map((use) => `${name}: ${use}`),
  );
  problems.push(...BAD.filter((text) => usesIn(text).length === 0).map((text) => `this check does not see ${text}`));
  problems.push(...GOOD.flatMap((text) => usesIn(text).map((use) => `this check refuses ${text}: ${use}`)));
  return { result: `${names.length} files for ${BROWSERS.join(', ')}`, problems };
}
