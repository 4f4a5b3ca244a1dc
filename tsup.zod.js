import { readFile } from 'node:fs/promises';
import { markPure } from './tsup.pure.js';

/**
 * In the modules every file names zod itself: a namespace that is handed from chunk to chunk would make esbuild, and whoever bundles with it, keep
 * the whole of zod, with every language that it speaks.
 * @type {import('esbuild').Plugin}
 */
export const zodByName = {
  name: 'zod by name',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const contents = (await readFile(path, 'utf8')).replace(/^import \{ z \} from '[./]+\/(?:schema\/)?zod\.js';$/m, "import * as z from 'zod/mini';");
      return { contents: markPure(path, contents), loader: 'ts' };
    });
  },
};
