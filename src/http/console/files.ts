import type { RefusalAnswer, WebAnswer } from '../../core/web/answer.js';
import { textAnswer } from './answers.js';

/** The build replaces these with the minified files of pages/console and their hashes. See build/pages.js. */
declare const CONSOLE_HTML: string;
declare const CONSOLE_CSS: string;
declare const CONSOLE_JS: string;
declare const CONSOLE_CSS_HASH: string;
declare const CONSOLE_JS_HASH: string;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#177245"/><path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.8" stroke-linecap="round"/></svg>';

export const pageAt = (base: string): WebAnswer =>
  textAnswer(
    'text/html',
    CONSOLE_HTML.replaceAll('{base}', base).replace('{css}', CONSOLE_CSS_HASH).replace('{js}', CONSOLE_JS_HASH),
  );

/** Functions, since the constants do not exist when the command runs from its sources. */
const FILES = {
  'console.js': () => ({ text: CONSOLE_JS, type: 'text/javascript', tag: CONSOLE_JS_HASH }),
  'console.css': () => ({ text: CONSOLE_CSS, type: 'text/css', tag: CONSOLE_CSS_HASH }),
  'console.svg': () => ({ text: ICON, type: 'image/svg+xml', tag: 'icon-1' }),
};
export type FileName = keyof typeof FILES;

export const isFile = (name: string): name is FileName => Object.hasOwn(FILES, name);

/** A browser may keep it, and asks each time whether it is still the same. */
export function fileAnswer(name: FileName, known: string | null): WebAnswer {
  const { text, type, tag } = FILES[name]();
  const etag = `"${tag}"`;
  const answer = textAnswer(type, text, { etag, 'cache-control': 'private, no-cache' });
  return known === etag ? { ...answer, status: 304, body: undefined } : answer;
}

const pageOf = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} – Outbox</title><h1>${title}</h1>${text}</html>`;

const LOG_IN = pageOf(
  'Log in first',
  '<p>You are not logged in, so the console shows nothing. Log in to your back office, then load this page again.</p><p>If you started the console with <code>npx location-sdk outbox … console</code>, open the address that the command printed. It lets one browser in, once: for another browser, stop the command and start it again.</p>',
);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A refusal for a person who opens the page. Status and headers are those of the JSON that a program gets. */
export const refusalPage = ({ status, body, headers }: RefusalAnswer): WebAnswer => ({
  ...textAnswer(
    'text/html',
    status === 401 ? LOG_IN : pageOf('The console cannot be shown', `<p>${escaped(body.error.message)}</p>`),
    headers,
  ),
  status,
});
