import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'dist/THIRD-PARTY-NOTICES';
const HEAD =
  'Files in this folder contain code of the packages below. Each package is listed with its whole licence.\n';

/** The package that a file belongs to. @param {string} path */
const packageOf = (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [];

/** @param {string} folder */
function noticeOf(folder) {
  const licence = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (!licence) throw new Error(`${folder} has no licence file, so its code must not be bundled.`);
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${'-'.repeat(80)}\n${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`;
}

/** The folders of the packages that one of the builds has bundled. @type {Set<string>} */
const bundled = new Set();

/**
 * Writes the licences of the bundled packages beside the files that contain them. Every build of the process adds its
 * own packages and writes the whole file again, so the last one completes it.
 * @type {import('esbuild').Plugin}
 */
export const notices = {
  name: 'third-party notices',
  setup({ initialOptions, onEnd }) {
    initialOptions.metafile = true;
    onEnd(({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
      for (const folder of inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? packageOf(path) : [])))
        bundled.add(folder);
      mkdirSync('dist', { recursive: true });
      writeFileSync(FILE, [HEAD, ...[...bundled].sort().map(noticeOf)].join('\n'));
    });
  },
};
