// Copies every guide, and the files to which guides link, into VitePress's folder, and changes each link to the new
// place of its target.
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, posix } from 'node:path';
import { drawers, pagesOf, project } from './menu.js';

const LANGUAGES = {
  '.md': 'md',
  '.js': 'js',
  '.ts': 'ts',
  '.tsx': 'tsx',
  '.html': 'html',
  '.json': 'json',
  '.yaml': 'yaml',
  '.css': 'css',
};
const LINK = /(\]\()((?!https?:|#|mailto:)[^)#\s]+)/g;

/** The page of the site that shows a file of the project. @param {string} file */
function pageOf(file) {
  const known = Object.entries(project).find(([name]) => name === file)?.[1];
  if (known) return known;
  if (file.startsWith('docs/')) return file.slice('docs/'.length);
  return file.endsWith('.md') ? file : `${file.replace(/\.(\w+)$/, '-$1')}.md`;
}

/**
 * A Markdown page of a file that is not Markdown: its text as a block of code.
 * @param {string} file
 * @param {string} text
 */
function shown(file, text) {
  const language = Object.entries(LANGUAGES).find(([ending]) => ending === extname(file))?.[1] ?? 'text';
  return `# ${file}\n\nA file of the package that runs as it stands.\n\n\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\`\n`;
}

/** Settings of the front page, which has the whole width. */
const FRONT = 'layout: doc\nsidebar: false\naside: false\npageClass: front\n';

/** A page with this number of sections begins with a table of its contents. */
const LONG = 6;

/**
 * A long page with a table of contents before its first section.
 * @param {string} text
 */
function withContents(text) {
  const sections = [...text.replace(/^```.*?^```$/gms, (block) => block.replace(/./g, ' ')).matchAll(/^## /gm)];
  const [first] = sections;
  if (!first || sections.length < LONG) return text;
  return `${text.slice(0, first.index)}[[toc]]\n\n${text.slice(first.index)}`;
}

/**
 * @param {string} folder where VitePress reads
 * @returns {Promise<number>} how many guides there are
 */
export async function stagePages(folder) {
  const guides = (await readdir('docs', { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .filter((name) => !(name in project));
  const listed = new Set([
    'docs/index.md',
    ...drawers.flatMap((drawer) => pagesOf(drawer).map((page) => `docs/${drawer.folder}/${page}.md`)),
  ]);
  const stray = [
    ...guides.filter((name) => !listed.has(name)),
    ...[...listed].filter((name) => !guides.includes(name)),
  ];
  if (stray.length > 0) throw new Error(`scripts/site/menu.js and docs/ disagree about ${stray.join(', ')}.`);

  const waiting = [...guides, ...Object.keys(project)];
  for (const file of waiting) {
    const text = await readFile(file, 'utf8');
    const page = pageOf(file);
    const isGuide = file.endsWith('.md');
    const body = (isGuide ? text : shown(file, text)).replace(isGuide ? LINK : /$^/g, (whole, before, link) => {
      const target = posix.join(posix.dirname(file), link);
      if (target.startsWith('docs/pictures/')) return `${before}/pictures/${posix.basename(target)}`;
      if (target === 'LICENSE') return whole;
      if (!waiting.includes(target)) waiting.push(target);
      const relative = posix.relative(posix.dirname(page), pageOf(target));
      return before + (relative.startsWith('.') ? relative : `./${relative}`);
    });
    await mkdir(dirname(`${folder}/${page}`), { recursive: true });
    const matter = `source: ${file}\n${file === 'docs/index.md' ? FRONT : ''}`;
    const whole = file.startsWith('docs/') ? withContents(body) : body;
    const hasMatter = whole.startsWith('---\n');
    await writeFile(
      `${folder}/${page}`,
      hasMatter ? whole.replace('---\n', `---\n${matter}`) : `---\n${matter}---\n\n${whole}`,
    );
  }
  await stagePictures(folder);
  return guides.length;
}

/**
 * Each drawing twice: one for the light scheme, one for the dark. A file alone would follow the system and not the
 * reader's choice on the site.
 * @param {string} folder
 */
async function stagePictures(folder) {
  const DARK = /@media \(prefers-color-scheme: ?dark\) ?\{((?:[^{}]|\{[^{}]*\})*)\}/;
  await mkdir(`${folder}/public/pictures`, { recursive: true });
  for (const name of await readdir('docs/pictures')) {
    if (!name.endsWith('.svg')) {
      await copyFile(`docs/pictures/${name}`, `${folder}/public/pictures/${name}`);
      continue;
    }
    const text = await readFile(`docs/pictures/${name}`, 'utf8');
    if (!DARK.test(text)) throw new Error(`docs/pictures/${name} has no colours for the dark scheme.`);
    await writeFile(`${folder}/public/pictures/${name.replace('.svg', '.light.svg')}`, text.replace(DARK, ''));
    await writeFile(`${folder}/public/pictures/${name.replace('.svg', '.dark.svg')}`, text.replace(DARK, '$1'));
  }
}
