// The entries of the package: the imported names, and the source of each.
import { readFileSync } from 'node:fs';

/** @param {string} name */
const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** @returns {Map<string, string>} the source of each entry, by its imported name */
export function entrySources() {
  /** @type {{ exports: Record<string, unknown> }} */
  const { exports } = JSON.parse(read('package.json'));
  const entries = Object.entries(exports).filter(([name]) => !name.endsWith('.json'));
  return new Map(
    entries.map(([name, conditions]) => {
      const [, built = ''] = /"types":"\.\/dist\/([\w-]+)\.d\.ts"/.exec(JSON.stringify(conditions)) ?? [];
      if (!built) throw new Error(`package.json names no types for ${name}.`);
      return [`location-sdk${name.slice(1)}`, `src/entries/${built}.ts`];
    }),
  );
}
