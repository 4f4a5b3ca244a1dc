// @module-tag slow: bundles, compiles or starts processes.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { ENUGU, MAXMIND } from '../location/mmdb/mmdb-records.js';
import { root } from '../support/run.js';
import { writeMmdb } from '../support/write-mmdb.js';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();

/** A separate project with the package and only these of its peers, each at its place in `node_modules`. */
function projectWith(peers: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(project, 'peers-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(modules);
  for (const name of ['location-sdk', 'ky', 'zod']) cpSync(join(project, 'node_modules', name), join(modules, name), { recursive: true });
  for (const [name, place] of Object.entries(peers)) cpSync(join(root, 'node_modules', name), join(modules, place), { recursive: true });
  writeFileSync(join(directory, 'places.mmdb'), writeMmdb({ '102.89.0.0/16': MAXMIND }));
  return directory;
}

const JOB = `
async function job({ createClient }, { mmdb }) {
  const database = mmdb({ file: 'places.mmdb' });
  try {
    await database.ready();
    const location = await createClient({ location: { ip: { providers: [database] } } }).locate({ clientIP: '102.89.23.45' });
    console.log(JSON.stringify(location));
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, message: error.message }));
  }
}
`;

/** How the two module systems run it. The code does not end the process. */
const SYSTEMS = [
  { file: 'imported.mjs', text: "import * as sdk from 'location-sdk';\nimport * as offline from 'location-sdk/location/mmdb';\njob(sdk, offline);\n" },
  { file: 'required.cjs', text: "job(require('location-sdk'), require('location-sdk/location/mmdb'));\n" },
];

function run(directory: string, { file, text }: (typeof SYSTEMS)[number]): unknown {
  writeFileSync(join(directory, file), text + JOB);
  const ended = spawnSync(process.execPath, [file], { cwd: directory, encoding: 'utf8', timeout: 60_000 });
  expect(ended.status, ended.stderr).toBe(0);
  expect(ended.stderr.replace(/^location-sdk: .*\n/, '')).toBe('');
  return JSON.parse(ended.stdout);
}

describe.each(SYSTEMS)('a database file, $file', (system) => {
  it.each([
    ['mmdb-lib', { 'mmdb-lib': 'mmdb-lib' }],
    ['maxmind alone', { maxmind: 'maxmind', 'mmdb-lib': 'maxmind/node_modules/mmdb-lib', 'tiny-lru': 'maxmind/node_modules/tiny-lru' }],
  ])('is read with %s, and lets the process end', (_peer, peers) => {
    expect(run(projectWith(peers), system)).toMatchObject({ ...ENUGU, accuracy: 20_000, source: 'client_ip' });
  });

  it('needs one of the two', () => {
    const said = run(projectWith({}), system);
    expect(said).toEqual({ code: 'configuration', message: expect.stringContaining('run "npm install mmdb-lib"') });
  });
});

it('a bundle for a server contains it, with only one of the two packages installed', async () => {
  const directory = projectWith({ 'mmdb-lib': 'mmdb-lib' });
  const contents = `import * as sdk from 'location-sdk';\nimport { Reader } from 'mmdb-lib';\nimport * as offline from 'location-sdk/location/mmdb';\n
    job(sdk, { mmdb: (options) => offline.mmdb({ ...options, Reader }) });\n${JOB}`;
  const stdin = { contents, resolveDir: directory };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, platform: 'node', format: 'cjs', logLevel: 'silent' });
  expect(run(directory, { file: 'bundled.cjs', text: `${outputFiles[0]?.text}\nfunction unused() {}\n//` })).toMatchObject(ENUGU);
});
