import { describe, expect, test } from 'vitest';
import { optionTable } from '../../src/client/option-table.js';
import { readGuides } from '../support/documents.js';

interface Leaf {
  path: string;
  standard: unknown;
}

/** Every option of the table, by its path. An option is an entry with a schema. */
function leavesOf(table: object, path: readonly string[] = []): Leaf[] {
  return Object.entries(table).flatMap(([name, entry]) =>
    'schema' in entry ? [{ path: [...path, name].join('.'), standard: entry.standard }] : leavesOf(entry, [...path, name]),
  );
}

const leaves = leavesOf(optionTable);

interface Row {
  path: string;
  standard: string;
}

/** The rows of the reference, one for each path that they name; `.name` is a sibling of the path before it. */
function readRows(): Row[] {
  const [, settings = ''] = /^## Client\n(.*?)^## /ms.exec(readGuides('reference/options')) ?? [];
  const lines = settings.split('\n').filter((line) => line.startsWith('| `'));
  return lines.flatMap((line) => {
    const [names = '', standard = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    let before = '';
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
      before = name.startsWith('.') ? before.replace(/\.[^.]+$/, name) : name;
      return { path: before, standard };
    });
  });
}

const rows = readRows();

const rowOf = (path: string) => rows.find((row) => path === row.path || path.startsWith(`${row.path}.`));

/** The reference's words for defaults that cannot be written as a value. */
const IN_WORDS: Readonly<Record<string, string>> = {
  gateways: 'environment variables',
  relayUrl: 'none',
  maxDecimals: 'none',
  paths: 'see [assumptions](../background/assumptions.md)',
  isRecorded: 'see [assumptions](../background/assumptions.md)',
  isDuplicate: 'see [assumptions](../background/assumptions.md)',
  'location.fixed': 'none',
  headers: 'none',
  logger: 'the console',
  logLevel: "`'warn'`; `'debug'` with your own `logger`",
  fetch: "the platform's",
  transport: "ky over the platform's `fetch`",
  geolocation: "the platform's",
  clock: "the platform's",
  random: "the platform's",
  onEvent: 'none',
  'location.reverseGeocode': 'none',
};

/** A default of the reference as a value: an object in code, names in code, code, or a number. */
function defaultIn(path: string, row: Row): unknown {
  const codes = [...row.standard.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const members = path.slice(row.path.length + 1);
  if (row.path === 'location.sourceNames') return codes.find((code) => code === members);
  if (codes.length === 0) return Number(row.standard.replaceAll(',', ''));
  const services = ['geojs', 'ipapiCo', 'freeipapi'];
  const value = new Function(...services, `return (${codes[0]});`)(...services.map((name) => () => name));
  return members === '' ? value : value[members];
}

const wordsFor = (path: string) => Object.entries(IN_WORDS).find(([name]) => path === name || path.startsWith(`${name}.`))?.[1];

describe('the reference of the options has the default of every option', () => {
  test.each(leaves)('$path', ({ path, standard }) => {
    const row = rowOf(path);
    expect(row, `${path} has no row in the reference`).toBeDefined();
    if (!row) return;
    const words = wordsFor(path);
    if (words !== undefined) expect(row.standard).toBe(words);
    else if (path === 'location.ip.providers') expect(defaultIn(path, row)).toEqual(['geojs', 'ipapiCo', 'freeipapi']);
    else expect(defaultIn(path, row)).toBe(standard);
  });

  test('and no row of an option that does not exist', () => {
    expect(rows.filter(({ path }) => !leaves.some((leaf) => leaf.path === path || leaf.path.startsWith(`${path}.`)))).toEqual([]);
  });

  test('and no member of a default that does not exist', () => {
    const objects = rows.flatMap(({ path, standard }) => [...standard.matchAll(/[{,] (\w+):/g)].map(([, name]) => `${path}.${name}`));
    expect(objects.length).toBeGreaterThan(0);
    expect(objects.filter((path) => !leaves.some((leaf) => leaf.path === path))).toEqual([]);
  });
});
