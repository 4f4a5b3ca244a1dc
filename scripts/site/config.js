// The site's settings for VitePress. It makes no request to another host: no font, no script, no search service.
import { existsSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { entrySources } from '../../build/entries.js';
import { drawers, pagesOf, project } from './menu.js';

/** @type {{ version: string, repository?: { url: string } }} */
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const repository = manifest.repository?.url.replace(/^git\+|\.git$/g, '');

/** @param {string} file */
const titleOf = (file) => /^# (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll('`', '') ?? file;

const guides = drawers.map(({ title, folder, groups }) => ({
  text: title,
  items: groups.flatMap((group) => {
    /** @type {import('vitepress').DefaultTheme.SidebarItem[]} */
    const items = group.pages.map((page) => ({
      text: titleOf(`docs/${folder}/${page}.md`),
      link: `/${folder}/${page}`,
    }));
    return group.title ? [{ text: group.title, items }] : items;
  }),
}));
const everyName = { text: 'Every public name', link: '/reference/api/' };
for (const { text, items } of guides) if (text === 'Reference') items.push(everyName);
const reference = {
  ...everyName,
  items: [...entrySources().keys()].map((name) => ({ text: name, link: `/reference/api/${name}` })),
};
const pagesOfProject = Object.entries(project).map(([file, page]) => ({
  text: titleOf(file),
  link: `/${page.replace('.md', '')}`,
}));

/** As GitHub makes anchors, so that a link works in both places. @param {string} title */
const slugify = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-');

export default defineConfig({
  title: 'location-sdk',
  description: 'Report bets and withdrawals, with the player’s location, to the Operator Reporting Service.',
  lang: 'en',
  outDir: '../pages',
  cacheDir: '../cache',
  cleanUrls: false,
  metaChunk: true,
  ignoreDeadLinks: false,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    toc: { slugify, level: [2] },
    config(md) {
      // A wide table scrolls separately, with the keyboard too.
      md.renderer.rules.table_open = () => '<div class="wide" role="group" tabindex="0" aria-label="Table"><table>\n';
      md.renderer.rules.table_close = () => '</table></div>\n';
      // A column without a title has no header cell: a screen reader would read an empty one.
      md.renderer.rules.th_open = (tokens, index, options, _, self) =>
        tokens[index + 1]?.content === '' ? '<td>' : self.renderToken(tokens, index, options);
      md.renderer.rules.th_close = (tokens, index) => (tokens[index - 1]?.content === '' ? '</td>\n' : '</th>\n');
      // Each picture has two files, and the theme shows one of them.
      const image = md.renderer.rules.image;
      md.renderer.rules.image = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const source = token?.attrGet('src') ?? '';
        if (!token || !/(?:^|\/)pictures\/[\w-]+\.svg$/.test(source))
          return image?.(tokens, index, options, env, self) ?? '';
        const alt = md.utils.escapeHtml(token.content);
        const name = source.slice(source.lastIndexOf('/') + 1, -'.svg'.length);
        return ['light', 'dark']
          .map((scheme) => `<img class="in-${scheme}" src="/pictures/${name}.${scheme}.svg" alt="${alt}">`)
          .join('');
      };
    },
  },
  transformPageData(page) {
    page.frontmatter.editUrl =
      repository && page.frontmatter.source ? `${repository}/edit/main/${page.frontmatter.source}` : undefined;
  },
  themeConfig: {
    nav: drawers.map((drawer) => ({
      text: drawer.title,
      link: `/${drawer.folder}/${pagesOf(drawer)[0]}`,
      activeMatch: `^/${drawer.folder}/(?!api/)`,
    })),
    sidebar: {
      '/reference/api/': [reference, ...guides],
      '/': [...guides, { text: 'Project', items: pagesOfProject }],
    },
    outline: { level: [2, 3], label: 'On this page' },
    docFooter: { prev: 'Previous', next: 'Next' },
    ...(repository && { editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' } }),
    search: {
      provider: 'local',
      options: {
        detailedView: false,
        miniSearch: {
          searchOptions: {
            // Guides first: a symbol's name occurs in the reference many times.
            boostDocument: (/** @type {string} */ id) => (/\/(?:reference\/api|project|examples)\//.test(id) ? 0.1 : 1),
          },
        },
      },
    },
  },
  vite: {
    publicDir: existsSync('site/source/public') ? 'public' : false,
    build: { chunkSizeWarningLimit: 4_000 },
  },
});
