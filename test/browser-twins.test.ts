import { expect, test } from 'vitest';
import { readSource } from './read-source.js';
import { typeCheck } from './support/type-check.js';

/** `x.browser.ts` replaces `x.ts` in the script-tag files, `x.relayed.ts` in the one with the outbox, where no compiler looks: so it is compared here. */
const STAND_IN = /\.(?:browser|relayed)\.ts$/;
const twins = readSource()
  .map(({ name }) => name)
  .filter((name) => STAND_IN.test(name));

const virtualName = (name: string) => name.replaceAll('/', '-').replace(/\.ts$/, '.twin.ts');
const imports = (name: string) => `import * as twin from './src/${name.replace(/\.ts$/, '.js')}';\n`;
const original = (name: string) => `typeof import('./src/${name.replace(STAND_IN, '.js')}')`;

/** That every export of the twin can be used as the original's of the same name. */
const fits = (name: string) => `${imports(name)}twin satisfies Pick<${original(name)}, keyof typeof twin>;`;

const check = (names: readonly string[], text: (name: string) => string) => typeCheck(Object.fromEntries(names.map((name) => [virtualName(name), text(name)])));

test('every stand-in for browsers has exports that fit those of its original', { timeout: 60_000 }, () => {
  expect(twins.length).toBeGreaterThan(3);
  expect(check(twins, fits)).toEqual([]);
});
