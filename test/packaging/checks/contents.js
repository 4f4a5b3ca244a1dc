import { pack } from '../../support/packed.js';

/** The files that the package may contain, and why. */
const NEEDED = [
  { pattern: /^dist\/[\w.-]+\.(?:js|cjs|d\.ts|d\.cts)$/, what: 'modules that are imported' },
  {
    pattern: /^dist\/(?:openapi|four-steps\.arazzo|integrity)\.json$/,
    what: 'documents of the gateway; the hashes of the script-tag files',
  },
  { pattern: /^dist\/player-messages\/[a-z]+\.json$/, what: 'messages for players in further languages' },
  { pattern: /^dist\/THIRD-PARTY-NOTICES$/, what: 'the licences of bundled packages' },
  { pattern: /^bin\/location-sdk\.js$/, what: 'the command' },
  {
    pattern: /^(?:README|CHANGELOG|CONTRIBUTING)\.md$|^docs\/(?:[\w-]+\/)?[\w-]+\.(?:md|svg|webp)$/,
    what: 'documents for people',
  },
  {
    pattern: /^examples\/(?:[\w[\]-]+\/)*[\w.-]+\.(?:js|mjs|ts|tsx|vue|svelte|html|css|md|json|yaml|sql)$/,
    what: 'examples to copy',
  },
  { pattern: /^(?:LICENSE|package\.json)$/, what: 'files that npm always includes' },
];
const PACKED_LIMIT = 1_500_000;
const UNPACKED_LIMIT = 5_000_000;

/** @param {import('../run.js').Packed} packed */
export async function checkContents({ project, tarball }) {
  const { files, size, unpackedSize, integrity } = tarball;
  const problems = files
    .filter(({ path }) => !NEEDED.some(({ pattern }) => pattern.test(path)))
    .map(({ path }) => `${path}: not one of the kinds of files that the package needs`);
  for (const { pattern, what } of NEEDED)
    if (!files.some(({ path }) => pattern.test(path))) problems.push(`there is no file for ${what} (${pattern})`);
  if (size > PACKED_LIMIT) problems.push(`${size} bytes packed; the limit is ${PACKED_LIMIT}`);
  if (unpackedSize > UNPACKED_LIMIT) problems.push(`${unpackedSize} bytes unpacked; the limit is ${UNPACKED_LIMIT}`);
  if ((await pack(project)).integrity !== integrity) problems.push('packed again, the tarball has other bytes');
  return {
    result: `${files.length} files, ${Math.round(size / 1_000)} kB packed, ${Math.round(unpackedSize / 1_000)} kB unpacked`,
    problems,
  };
}
