import type { ConsoleAnswer } from './answers.js';
import type { FileName } from './route.js';

/** The build puts in the files of src/console-page, made small, and their hashes. See pages.build.js. */
declare const CONSOLE_HTML: string;
declare const CONSOLE_CSS: string;
declare const CONSOLE_JS: string;
declare const CONSOLE_CSS_HASH: string;
declare const CONSOLE_JS_HASH: string;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#177245"/><path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.8" stroke-linecap="round"/></svg>';

/** The page. Its address says where it finds its files; their hashes stand in it. */
export const pageAt = (base: string): ConsoleAnswer => ({
  status: 200,
  text: CONSOLE_HTML.replaceAll('{base}', base).replace('{css}', CONSOLE_CSS_HASH).replace('{js}', CONSOLE_JS_HASH),
  type: 'text/html',
});

interface PageFile {
  readonly text: string;
  readonly type: string;
  readonly tag: string;
}

function fileOf(name: FileName): PageFile {
  switch (name) {
    case 'console.js':
      return { text: CONSOLE_JS, type: 'text/javascript', tag: CONSOLE_JS_HASH };
    case 'console.css':
      return { text: CONSOLE_CSS, type: 'text/css', tag: CONSOLE_CSS_HASH };
    case 'console.svg':
      return { text: ICON, type: 'image/svg+xml', tag: 'icon-1' };
  }
}

/** A file of the page. A browser may keep it, and asks each time whether it is still the same. */
export function fileAnswer(name: FileName, known: string | null): ConsoleAnswer {
  const { text, type, tag } = fileOf(name);
  const headers = { etag: `"${tag}"`, 'cache-control': 'private, no-cache' };
  return { status: known === `"${tag}"` ? 304 : 200, text, type, headers };
}
