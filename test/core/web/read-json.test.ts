import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from '../../../src/core/web/read-json.js';

const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

/** At most eight levels, with names that look like JSON themselves. */
const name = fc
  .oneof(fc.constantFrom('a', 'b', '"', '\\', ':', '{"a":1}', '\u2028', '\ud800'), fc.string())
  .filter((text) => !FORBIDDEN.includes(text));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 7, withCrossShrink: true },
    fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null), name),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const spaces = fc.constantFrom(undefined, ' ', '\t', 2);

describe('the output of JSON.stringify', () => {
  it('is accepted', () => {
    fc.assert(
      fc.property(tree, spaces, (value, space) => {
        expect(scanJson(JSON.stringify(value, null, space))).toEqual([]);
      }),
    );
  });

  it('with a duplicate name is refused, at any place and in any spelling', () => {
    const escaped = (text: string) =>
      `"${Array.from(text, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`;
    const plain = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((text) => !FORBIDDEN.includes(text));
    fc.assert(
      fc.property(
        plain,
        tree,
        tree,
        fc.boolean(),
        fc.integer({ min: 0, max: 2 }),
        (key, first, second, isEscaped, depth) => {
          const shallow = (value: unknown) =>
            JSON.stringify(value).length > 200 || depthOf(value) > 2 ? '0' : JSON.stringify(value);
          const twice = `{${JSON.stringify(key)}:${shallow(first)}, ${isEscaped ? escaped(key) : JSON.stringify(key)} : ${shallow(second)}}`;
          const text = `${'[1,{"x":'.repeat(depth)}${twice}${'}]'.repeat(depth)}`;
          JSON.parse(text);
          expect(scanJson(text).filter(({ code }) => code === 'conflict')).toHaveLength(1);
        },
      ),
    );
  });
});

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

it('says where', () => {
  expect(scanJson('{"a":[0,{"b":{"c":1,"c":2}}]}')).toEqual([
    { path: 'a.1.b.c', code: 'conflict', message: 'is given twice; give it once' },
  ]);
});

it('never throws, for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a') })),
      (text) => void scanJson(text),
    ),
  );
});

it.each([8, 9])('a depth of %i', (depth) => {
  const issues = scanJson('['.repeat(depth) + ']'.repeat(depth));
  expect(issues.map(({ code }) => code)).toEqual(depth === 8 ? [] : ['not-json']);
});
