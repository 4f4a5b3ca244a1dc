// @module-tag slow: starts the servers of the tutorials.
import { describe, expect } from 'vitest';
import { test as base } from './browser-test.js';
import { startTutorial } from './tutorial-site.js';

const KEY = 'midc1z40-1w97d44-1atv6cm-v97yhb-13zcn4k';
/** The requests of a visitor who writes them by hand. */
const NO_BETS = ['null', '[]', '"bet"', '{', '', '{"stake":5}', `{"key":"${KEY}"}`, `{"key":"${KEY}","stake":-5}`];

describe.for(['page', 'page-with-relay'] as const)('the server of the tutorial %s', (tutorial) => {
  const test = base.extend('bets', async ({ gateway }, { onCleanup }) => {
    const { url, close } = await startTutorial(tutorial, gateway.url);
    onCleanup(close);
    return async (body: string) => {
      const response = await fetch(`${url}bets`, { method: 'POST', body });
      return (await response.json()) as { bet_id?: string; message?: string };
    };
  });

  test('answers each request without a bet, and places none', async ({ bets }) => {
    for (const body of NO_BETS) expect([body, await bets(body)]).toEqual([body, { message: expect.any(String) }]);
    expect(await bets(`{"key":"${KEY}","stake":5}`)).toMatchObject({ bet_id: expect.any(String) });
  });

  test('names the bet that it placed, also for a request with the same key and another stake', async ({ bets }) => {
    const { bet_id } = await bets(`{"key":"${KEY}","stake":5}`);
    const { message, ...again } = await bets(`{"key":"${KEY}","stake":9}`);
    expect(again).toEqual({ bet_id });
    expect(message ?? 'of 5').toContain('of 5');
  });
});

base('an error of another package leaves the bet open', async ({ gateway, onTestFinished }) => {
  const { url, close } = await startTutorial('page', gateway.url);
  onTestFinished(close);
  const response = await fetch(`${url}bets`, { method: 'POST', body: '{' });
  expect(await response.json()).toEqual({ message: expect.stringMatching(/^We do not know yet/) });
});
