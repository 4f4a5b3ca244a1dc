import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from '../tools.js';

/** @param {import('../run.js').Packed} packed */
export async function checkLint({ project, installed, tarball, entries }) {
  const problems = [...(await publintSays(installed)), ...(await typesSay(join(project, tarball.filename), entries))];
  return { result: `${entries.length} entries`, problems };
}

/** @param {string} installed */
async function publintSays(installed) {
  const { publint } = /** @type {{ publint(options: object): Promise<{ messages: object[] }> }} */ (
    await load('publint')
  );
  const { formatMessage } = /** @type {{ formatMessage(message: object, manifest: object): string | undefined }} */ (
    await load('publint/utils')
  );
  const { messages } = await publint({ pkgDir: installed, strict: true });
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  return messages.map((message) => `publint: ${formatMessage(message, manifest) ?? JSON.stringify(message)}`);
}

/** @param {string} file @param {string[]} entries */
async function typesSay(file, entries) {
  const { createPackageFromTarballData, checkPackage } =
    /** @type {{ createPackageFromTarballData(data: Uint8Array): object, checkPackage(tarball: object): Promise<{ problems?: object[], entrypoints?: Record<string, unknown> }> }} */ (
      await load('@arethetypeswrong/core')
    );
  const { problems = [], entrypoints = {} } = await checkPackage(createPackageFromTarballData(readFileSync(file)));
  const looked = Object.keys(entrypoints).map((name) => `location-sdk${name.slice(1)}`);
  return [
    ...entries.filter((entry) => !looked.includes(entry)).map((entry) => `are-the-types-wrong did not check ${entry}`),
    ...problems.map((problem) => `are-the-types-wrong: ${JSON.stringify(problem)}`),
  ];
}
