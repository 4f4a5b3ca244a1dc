// @module-tag slow: bundles, compiles or starts processes.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { root } from '../support/run.js';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();
const hasOwn = process.versions.node.localeCompare('22.13', 'en', { numeric: true }) >= 0;

/** A project with the package and only these of its peers. */
function projectWith(...peers: string[]): string {
  const directory = mkdtempSync(join(project, 'sqlite-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(modules);
  for (const name of ['location-sdk', 'ky'])
    cpSync(join(project, 'node_modules', name), join(modules, name), { recursive: true });
  for (const name of peers) cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true });
  return directory;
}

const JOB = `
async function job({ sqliteStore }) {
  try {
    const store = await sqliteStore({ file: 'outbox.db' });
    const { states } = await store.counts();
    await store.close();
    console.log(JSON.stringify({ durable: store.durable, waiting: states.waiting }));
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, message: error.message }));
  }
}
`;

/** How the two module systems run it. The code does not end the process. */
const SYSTEMS = [
  { file: 'imported.mjs', text: "import * as sqlite from 'location-sdk/outbox/sqlite';\njob(sqlite);\n" },
  { file: 'required.cjs', text: "job(require('location-sdk/outbox/sqlite'));\n" },
];

function run(directory: string, { file, text }: (typeof SYSTEMS)[number]): unknown {
  writeFileSync(join(directory, file), text + JOB);
  const ended = spawnSync(process.execPath, [file], { cwd: directory, encoding: 'utf8', timeout: 60_000 });
  expect(ended.status, ended.stderr).toBe(0);
  return JSON.parse(ended.stdout);
}

describe.each(SYSTEMS)('the SQLite store, $file', (system) => {
  it('is opened with @photostructure/sqlite, and lets the process end', () => {
    expect(run(projectWith('@photostructure', 'node-gyp-build'), system)).toEqual({
      durable: true,
      waiting: 0,
    });
  });

  it('needs one of the libraries if Node.js has no own', () => {
    const said = run(projectWith(), system);
    expect(said).toEqual(
      hasOwn
        ? { durable: true, waiting: 0 }
        : { code: 'unavailable', message: expect.stringContaining('npm install @photostructure/sqlite') },
    );
  });
});

it('a bundle for Node.js needs none of the libraries', async () => {
  const stdin = {
    contents: "import { sqliteStore } from 'location-sdk/outbox/sqlite'; sqliteStore({});",
    resolveDir: projectWith(),
  };
  const { warnings } = await build({
    stdin,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  expect(warnings.filter(({ id }) => id !== 'ignored-dynamic-import')).toEqual([]);
});
