// place.test.js
// @vitest-environment happy-dom
import { expect, test } from 'vitest';

test('a press posts the bet, and shows the words of the route', async () => {
  const posted = [];
  globalThis.fetch = async (url, init) => {
    posted.push([url, JSON.parse(String(init?.body))]);
    return Response.json({ bet_id: 'BET-1', message: 'Placed.' });
  };

  await import('./place.js'); // your page
  document.querySelector('button')?.click();
  const words = () => document.body.textContent;
  await expect.poll(words).toContain('Placed.');
  const key = expect.any(String);
  expect(posted).toEqual([['/bets', { stake: 1500, key }]]);
});
