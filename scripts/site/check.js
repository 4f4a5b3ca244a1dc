// Checks the built site: every link within it leads to a page and a heading, and no page makes a request to another
// host.
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';

/**
 * @param {string} folder
 * @returns {Promise<string[]>} what is wrong, one line each
 */
export async function checkSite(folder) {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'));
  const pages = new Map(
    await Promise.all(
      names
        .filter((name) => name.endsWith('.html'))
        .map(async (name) => /** @type {const} */ ([name, await readFile(`${folder}/${name}`, 'utf8')])),
    ),
  );
  const anchors = new Map(
    [...pages].map(([name, text]) => [name, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))]),
  );
  const problems = [];
  for (const [name, text] of pages) {
    for (const [, href = ''] of text.matchAll(/<a[^>]* href="([^"]*)"/g)) {
      if (/^(?:https?:|mailto:)/.test(href)) continue;
      const [path = '', anchor] = href.split('#');
      const target =
        path === ''
          ? name
          : posix.join(path.startsWith('/') ? '.' : posix.dirname(name), path, path.endsWith('/') ? 'index.html' : '');
      if (!names.includes(target)) problems.push(`${name}: the link ${href} leads to no page`);
      else if (anchor && !anchors.get(target)?.has(decodeURIComponent(anchor)))
        problems.push(`${name}: the link ${href} leads to no heading`);
    }
    for (const [asked] of text.matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="https?:[^"]*"/g))
      problems.push(`${name} asks another host: ${asked}`);
    if (!/<main\b/.test(text) && name !== '404.html') problems.push(`${name} has no main landmark`);
  }
  return [...new Set(problems)];
}
