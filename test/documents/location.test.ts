import { describe, expect, test } from 'vitest';
import { optionTable } from '../../src/core/client/option-table.js';
import { readGuides } from '../support/documents.js';

const guide = readGuides('how-to/location');
const { location } = optionTable;

const IN_WORDS: Readonly<Record<number, string>> = {
  1500: '1.5 s',
  4000: '4 s',
  10000: '10 s',
  20000: '20 s',
  60000: '(?:60 s|1 minute)',
  300000: '5 minutes',
};

test('the guide has the most addresses that a client remembers', () => {
  expect(guide).toContain(`${location.ip.cacheSize.standard.toLocaleString('en')} addresses at most (\`cacheSize\`)`);
});

describe('the guide has the real defaults', () => {
  test.each([
    ['location.timeoutMs', location.timeoutMs],
    ['location.browser.timeoutMs', location.browser.timeoutMs],
    ['maximumAgeMs', location.browser.maximumAgeMs],
    ['denialMemoryMs', location.browser.denialMemoryMs],
    ['location.ip.timeoutMs', location.ip.timeoutMs],
    ['cacheMs', location.ip.cacheMs],
    ['restMs', location.ip.restMs],
  ])('%s', (name, { standard }) => {
    expect(guide).toMatch(new RegExp(`\`${name.replaceAll('.', '\\.')}\` \\(${IN_WORDS[standard] ?? 'not listed'}\\)`));
  });
});
