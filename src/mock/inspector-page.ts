/** Inserted by the build: the minified files beside this one. See pages.build.js. */
declare const INSPECTOR_HTML: string;
declare const INSPECTOR_CSS: string;
declare const INSPECTOR_JS: string;

/** Allows only the page's own files and its own server. Text never becomes HTML by mistake. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The inspector's file at a path. The inspector is a page that shows the requests of a mock gateway. */
export function inspectorPage(path: string): Response | undefined {
  const file = fileAt(path);
  return file && new Response(file[0], { headers: { ...HEADERS, 'content-type': `text/${file[1]}; charset=utf-8` } });
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
