import { expect, test } from 'vitest';
import { readSource } from './read-source.js';
import { typeCheck } from './support/type-check.js';

/** `x.browser.ts` replaces `x.ts` in the script-tag files, `x.relayed.ts` in the one with the outbox, where no compiler looks: so it is compared here. */
const STAND_IN = /\.(?:browser|relayed)\.ts$/;
const twins = readSource()
  .map(({ name }) => name)
  .filter((name) => STAND_IN.test(name));

/**
 * These do not fit, on purpose: no page verifies a number or settles, so the schemas for it are empty there; and the stand-in for
 * zod has none of its types, so `test/schema/zod-stand-in.test.ts` compares what the two do.
 */
const UNFIT = ['schema/nin.browser.ts', 'schema/settled.browser.ts', 'schema/zod.browser.ts'];

const virtualName = (name: string) => name.replaceAll('/', '-').replace(/\.ts$/, '.twin.ts');
const imports = (name: string) => `import * as twin from './src/${name.replace(/\.ts$/, '.js')}';\n`;
const original = (name: string) => `typeof import('./src/${name.replace(STAND_IN, '.js')}')`;

/** That every export of the twin can be used as the original's of the same name. */
const fits = (name: string) => `${imports(name)}twin satisfies Pick<${original(name)}, keyof typeof twin>;`;

/** That the original exports the same names, at least. */
const isNamedAlike = (name: string) => `${imports(name)}export type Names = Pick<${original(name)}, keyof typeof twin>;`;

const check = (names: readonly string[], text: (name: string) => string) => typeCheck(Object.fromEntries(names.map((name) => [virtualName(name), text(name)])));

test('every stand-in for browsers has exports that fit those of its original', { timeout: 60_000 }, () => {
  const fitting = twins.filter((name) => !UNFIT.includes(name));
  expect(fitting.length).toBeGreaterThan(3);
  expect(check(fitting, fits)).toEqual([]);
});

test.each(UNFIT)('%s has the names of its original, and still needs to be an exception', { timeout: 60_000 }, (name) => {
  expect(twins).toContain(name);
  expect(check([name], isNamedAlike)).toEqual([]);
  expect(check([name], fits)).not.toEqual([]);
});
