import { readFile } from 'node:fs/promises';

/** A loop over the keys of an object, inherited ones included, also in the code that zod writes itself. */
const FOR_IN = /\bfor \(const (\w+|\$\{\w+\}) in ([\w.]+|\$\{\w+\})\) \{/g;

/**
 * Lets zod read own keys alone. Its loops with `for in` also meet what another script has added to `Object.prototype`,
 * and zod then fails while it is loaded.
 * @type {import('esbuild').Plugin}
 */
export const ownKeys = {
  name: 'own keys',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]zod[\\/].*\.js$/ }, async ({ path }) => {
      const contents = (await readFile(path, 'utf8')).replace(FOR_IN, 'for (const $1 of Object.keys($2)) {');
      const [left] = /\bfor \([^;)]*\bin\b/.exec(contents) ?? [];
      if (left) throw new Error(`${path} has a loop of a form that is not known: ${left}`);
      return { contents, loader: 'js' };
    });
  },
};
