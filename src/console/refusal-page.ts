import { type ConsoleAnswer, refusalIn } from './answers.js';

const pageOf = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} – Outbox</title><h1>${title}</h1>${text}</html>`;

const LOG_IN = pageOf(
  'Log in first',
  '<p>You are not logged in, so the console shows nothing. Log in to your back office, then load this page again.</p><p>If you started the console with <code>npx location-sdk outbox … console</code>, open the address that the command printed. It lets one browser in, once: for another browser, stop the command and start it again.</p>',
);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A refusal for a person who opens the page. Status and headers are those of the JSON that a program gets. */
export const asPage = (refused: ConsoleAnswer): ConsoleAnswer => ({
  ...refused,
  text: refused.status === 401 ? LOG_IN : pageOf('The console cannot be shown', `<p>${escaped(refusalIn(refused).error.message)}</p>`),
  type: 'text/html',
});
