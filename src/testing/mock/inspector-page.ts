import { pageHeaders } from '../../core/web/answer.js';

/** Inserted by the build: the minified files beside this one. See build/pages.js. */
declare const INSPECTOR_HTML: string;
declare const INSPECTOR_CSS: string;
declare const INSPECTOR_JS: string;

/** The inspector is a page that shows the requests of a mock gateway. */
export function inspectorPage(path: string): Response | undefined {
  const file = fileAt(path);
  return (
    file &&
    new Response(file[0], { headers: { ...pageHeaders('data:'), 'content-type': `text/${file[1]}; charset=utf-8` } })
  );
}

function fileAt(path: string): readonly [text: string, type: string] | undefined {
  switch (path) {
    case '/':
      return [INSPECTOR_HTML, 'html'];
    case '/inspector.css':
      return [INSPECTOR_CSS, 'css'];
    case '/inspector.js':
      return [INSPECTOR_JS, 'javascript'];
    default:
      return undefined;
  }
}
