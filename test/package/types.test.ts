// @module-tag slow: bundles, compiles or starts processes.
import { describe, expect, it } from 'vitest';
import { coverEachValue } from '../support/cases.js';
import { compileAll } from './compile.js';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();

/** How a consumer's project finds the package. */
const RESOLUTIONS = [
  { found: 'node16 resolution from an ES module', module: 'node16', moduleResolution: 'node16', extension: 'mts' },
  { found: 'node16 resolution from CommonJS', module: 'node16', moduleResolution: 'node16', extension: 'cts' },
  {
    found: 'node10 resolution, which does not read "exports"',
    module: 'commonjs',
    moduleResolution: 'node10',
    extension: 'ts',
  },
  { found: 'bundler resolution', module: 'esnext', moduleResolution: 'bundler', extension: 'ts' },
] as const;

/** The platform types of a project, and the files that compile with them. */
const DOM = {
  platform: 'the types of the DOM',
  lib: ['ES2022', 'DOM'],
  types: [],
  files: ['uses', 'mistakes', 'with-web-types', 'in-a-page'],
} as const;
const NODE = {
  platform: 'the types of Node.js only',
  lib: ['ES2022'],
  types: ['node'],
  files: ['uses', 'mistakes', 'with-web-types', 'in-node'],
} as const;
const PLATFORMS = [
  { platform: 'the global of the file for pages', lib: ['ES2022', 'DOM'], types: [], files: ['global-page'] },
  { platform: 'the global of the file with the outbox', lib: ['ES2022', 'DOM'], types: [], files: ['global-outbox'] },
  { platform: 'the global of the file for a relay', lib: ['ES2022', 'DOM'], types: [], files: ['global-relay'] },
  { platform: 'no types of any platform', lib: ['ES2022'], types: [], files: ['uses', 'mistakes'] },
] as const;

/**
 * Every platform and every resolution: a resolution decides which declarations are found, and a platform whether they
 * compile. The types of the DOM and of Node.js meet all resolutions in test/packaging/checks/types.js, with this compiler
 * and with others.
 */
const consumers = [
  [DOM, RESOLUTIONS[3]] as const,
  [NODE, RESOLUTIONS[0]] as const,
  ...coverEachValue(PLATFORMS.flatMap((platform) => RESOLUTIONS.map((resolution) => [platform, resolution] as const))),
].map(([platform, resolution], index) => ({ ...platform, ...resolution, index }));

const said = compileAll(project, consumers);

describe('the declarations of the installed package', () => {
  it.each(consumers)('compile with $platform, by $found', { timeout: 300_000 }, async ({ index }) => {
    const problems = (await said)[index] ?? ['it was not compiled'];
    expect(problems).toEqual([]);
  });
});
