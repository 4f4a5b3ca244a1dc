import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';

const shared = /** @type {const} */ ({ bundle: true, write: false, minify: true, target: 'es2022', charset: 'utf8' });

/** The minified page of a folder: an HTML file, a style and a script. @param {string} folder */
export async function pageFiles(folder) {
  // Only tsup.config.ts lists the licences of bundled packages, so the page bundles none.
  const script = await build({ ...shared, entryPoints: [`${folder}/main.ts`], packages: 'external', format: 'esm' });
  const style = await build({ ...shared, entryPoints: [`${folder}/style.css`] });
  const html = (await readFile(`${folder}/index.html`, 'utf8')).replace(/\n\s*/g, '\n');
  return { html, css: style.outputFiles[0]?.text ?? '', js: script.outputFiles[0]?.text ?? '' };
}

/** The values of the constants that the modules of these pages declare: for `define`, of tsup and of vitest. */
export async function pagesDefine() {
  const { html, css, js } = await pageFiles('src/inspector');
  // Strings, not one object: an object would become a chunk that the other entries load too.
  return { INSPECTOR_HTML: JSON.stringify(html), INSPECTOR_CSS: JSON.stringify(css), INSPECTOR_JS: JSON.stringify(js) };
}
