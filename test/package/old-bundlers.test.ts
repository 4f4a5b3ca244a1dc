// @module-tag slow: bundles, compiles or starts processes.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import webpack, { type ResolveOptions } from 'webpack';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();

/** Bundles a page as webpack 4 finds its modules: without the `exports` of a package. */
async function bundle(resolve: ResolveOptions): Promise<string> {
  const folder = mkdtempSync(join(project, 'old-'));
  writeFileSync(join(folder, 'page.js'), "import { locate } from 'location-sdk/page';\nglobalThis.found = locate;\n");
  const compiler = webpack({
    mode: 'production',
    context: folder,
    entry: './page.js',
    output: { path: folder, filename: 'bundle.js' },
    resolve: { ...resolve, exportsFields: [] },
  });
  return new Promise((done, reject) => {
    compiler?.run((error, stats) => {
      const problem = error?.message ?? (stats?.hasErrors() ? stats.toString({ all: false, errors: true }) : undefined);
      compiler.close(() =>
        problem ? reject(new Error(problem)) : done(readFileSync(join(folder, 'bundle.js'), 'utf8')),
      );
    });
  });
}

/** The settings that the guide shows, as a project in this folder has them. */
function shownSettings(): { resolve: ResolveOptions } {
  const [shown] = codeBlocks(readGuides('how-to/browser')).filter(({ code }) => code.includes('// webpack.config.js'));
  const file = join(mkdtempSync(join(project, 'old-')), 'webpack.config.cjs');
  // The guide's path is relative to the folder in which a project is built.
  writeFileSync(file, (shown?.code ?? '').replace("resolve('", `resolve('${project}/`));
  return createRequire(file)(file);
}

test('a bundler that reads no exports finds the page with the settings of the guide, and not without them', async () => {
  await expect(bundle({})).rejects.toThrow("Can't resolve 'location-sdk/page'");
  const text = await bundle(shownSettings().resolve);
  expect(text).toContain('getCurrentPosition');
  expect(text.length).toBeLessThan(20_000);
});
