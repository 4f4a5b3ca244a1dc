import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';

const shared = /** @type {const} */ ({ bundle: true, write: false, minify: true, target: 'es2022', charset: 'utf8' });

/**
 * The minified page of a folder: an HTML file, a style and a script.
 * @param {string} folder @param {import('esbuild').Plugin[]} plugins
 */
async function pageFiles(folder, plugins) {
  const script = await build({ ...shared, entryPoints: [`${folder}/main.tsx`], format: 'esm', plugins });
  const style = await build({ ...shared, entryPoints: [`${folder}/style.css`] });
  const html = (await readFile(`${folder}/index.html`, 'utf8')).replace(/\n\s*/g, '\n');
  return { html, css: style.outputFiles[0]?.text ?? '', js: script.outputFiles[0]?.text ?? '' };
}

/** As `integrity` and `ETag` name a text. @param {string} text */
const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/**
 * The values of the constants that the modules of these pages declare: for `define`, of tsup and of vitest. A build for
 * others passes the plugin that lists the licences of bundled packages.
 * @param {import('esbuild').Plugin[]} plugins
 */
export async function pagesDefine(plugins = []) {
  const folders = ['pages/inspector', 'pages/console'];
  const [inspector, operator] = await Promise.all(folders.map((folder) => pageFiles(folder, plugins)));
  if (!inspector || !operator) throw new Error('A page was not built.');
  // Strings, not one object: an object would become a chunk that the other entries load too.
  const texts = {
    INSPECTOR_HTML: inspector.html,
    INSPECTOR_CSS: inspector.css,
    INSPECTOR_JS: inspector.js,
    CONSOLE_HTML: operator.html,
    CONSOLE_CSS: operator.css,
    CONSOLE_JS: operator.js,
    CONSOLE_CSS_HASH: hashOf(operator.css),
    CONSOLE_JS_HASH: hashOf(operator.js),
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, JSON.stringify(text)]));
}
