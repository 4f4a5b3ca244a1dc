import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from '../tools.js';

/**
 * @typedef {{ kind: string, entrypoint?: string, resolutionKind?: string }} Problem
 * @typedef {{ name: string, applies(problem: Problem): boolean, reason: string }} Accepted
 */

/** What are-the-types-wrong may say. @type {Accepted[]} */
const ACCEPTED = [
  {
    name: 'node10',
    applies: ({ kind, resolutionKind }) => kind === 'NoResolution' && resolutionKind === 'node10',
    reason: 'TypeScript\'s resolution of before package.json had "exports" finds the main entry only; TypeScript 7 has it no more',
  },
];

/** @param {import('../run.js').Packed} packed */
export async function checkLint({ project, installed, tarball, entries }) {
  const problems = [...(await publintSays(installed)), ...(await typesSay(join(project, tarball.filename), entries))];
  return { result: `${entries.length} entries`, problems, notes: ACCEPTED.map(({ name, reason }) => `accepted (${name}): ${reason}`) };
}

/** @param {string} installed */
async function publintSays(installed) {
  const { publint } = /** @type {{ publint(options: object): Promise<{ messages: object[] }> }} */ (await load('publint'));
  const { formatMessage } = /** @type {{ formatMessage(message: object, manifest: object): string | undefined }} */ (await load('publint/utils'));
  const { messages } = await publint({ pkgDir: installed, strict: true });
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  return messages.map((message) => `publint: ${formatMessage(message, manifest) ?? JSON.stringify(message)}`);
}

/** @param {string} file @param {string[]} entries */
async function typesSay(file, entries) {
  const { createPackageFromTarballData, checkPackage } =
    /** @type {{ createPackageFromTarballData(data: Uint8Array): object, checkPackage(tarball: object): Promise<{ problems?: Problem[], entrypoints?: Record<string, unknown> }> }} */ (
      await load('@arethetypeswrong/core')
    );
  const { problems = [], entrypoints = {} } = await checkPackage(createPackageFromTarballData(readFileSync(file)));
  const looked = Object.keys(entrypoints).map((name) => `location-sdk${name.slice(1)}`);
  return [
    ...entries.filter((entry) => !looked.includes(entry)).map((entry) => `are-the-types-wrong did not look at ${entry}`),
    ...problems.filter((problem) => !ACCEPTED.some(({ applies }) => applies(problem))).map((problem) => `are-the-types-wrong: ${JSON.stringify(problem)}`),
  ];
}
