import { expect, test } from 'vitest';
import { MASK, maskSent } from '../src/redact.browser.js';
import { newId } from '../src/relay/fault.js';

const sent = [
  { text: 'Adaeze Okonkwo', kind: 'personal' as const },
  { text: '6.4541', kind: 'personal' as const },
  { text: 'key-1', kind: 'secret' as const },
];

test.each([
  ['nothing that was sent', 'Bet event reported successfully', 'Bet event reported successfully'],
  ['a short number', 'wait 30 seconds', 'wait 30 seconds'],
  ['a name', 'no player Adaeze Okonkwo', MASK],
  ['a part of a name, in capitals', 'no player OKONKWO', MASK],
  ['a key', 'key-1 is not known', MASK],
  ['a number that could be one', 'no tax id 20345', MASK],
  ['an escape', 'no player Ad\\u0061eze', MASK],
  ['another escape', 'no player Ad%61eze', MASK],
  ['a line end', 'one\ntwo', MASK],
  ['too much', 'x'.repeat(301), MASK],
])('in a page, words of the gateway that hold %s', (_, text, shown) => {
  expect(maskSent(text, sent)).toBe(shown);
});

test('the id by which a relay tells of a fault is shown', () => {
  for (let times = 0; times < 100; times += 1) {
    const words = `Something went wrong (${newId()}).`;
    expect(maskSent(words, [])).toBe(words);
  }
});
