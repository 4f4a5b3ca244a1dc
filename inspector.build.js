import { readFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';

const FOLDER = 'src/mock/inspector';

/** The inspector's page, made small: what stands for `INSPECTOR` in src/mock/inspector/page.ts. */
export async function inspectorFiles() {
  const target = 'es2022';
  const script = await build({ entryPoints: [`${FOLDER}/app/main.ts`], bundle: true, write: false, minify: true, format: 'esm', target, charset: 'utf8' });
  const style = await transform(await readFile(`${FOLDER}/style.css`, 'utf8'), { loader: 'css', minify: true, charset: 'utf8' });
  const html = (await readFile(`${FOLDER}/index.html`, 'utf8')).replace(/\n\s*/g, '\n');
  return { html, css: style.code, js: script.outputFiles[0]?.text ?? '' };
}

/** For `define`, of tsup and of vitest. */
export const inspectorDefine = async () => ({ INSPECTOR: JSON.stringify(await inspectorFiles()) });
