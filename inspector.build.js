import { readFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';

const FOLDER = 'src/inspector';

/** The inspector's page, made small: an HTML file, a style and a script. */
export async function inspectorFiles() {
  const target = 'es2022';
  const entryPoints = [`${FOLDER}/main.ts`];
  // Only tsup.config.ts lists the licences of bundled packages, so the page bundles none.
  const script = await build({ entryPoints, bundle: true, packages: 'external', write: false, minify: true, format: 'esm', target, charset: 'utf8' });
  const style = await transform(await readFile(`${FOLDER}/style.css`, 'utf8'), { loader: 'css', minify: true, charset: 'utf8' });
  const html = (await readFile(`${FOLDER}/index.html`, 'utf8')).replace(/\n\s*/g, '\n');
  return { html, css: style.code, js: script.outputFiles[0]?.text ?? '' };
}

/** What stands for the names that src/mock/inspector-page.ts declares: for `define`, of tsup and of vitest. */
export async function inspectorDefine() {
  const { html, css, js } = await inspectorFiles();
  // Texts, not one object: that would become a chunk which the other entries load too.
  return { INSPECTOR_HTML: JSON.stringify(html), INSPECTOR_CSS: JSON.stringify(css), INSPECTOR_JS: JSON.stringify(js) };
}
