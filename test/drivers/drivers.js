// The SQLite libraries that the guide names, each in its oldest and newest line, and the Node.js on which each is tested.
// `npm test` itself has `@photostructure/sqlite` 1, and uses what is here once `run.js` has installed it.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const here = import.meta.dirname;
const require = createRequire(import.meta.url);

/**
 * @typedef {object} Driver
 * @property {string} name of the package, or of the module of Node.js
 * @property {string} folder of this version in `node_modules`; its name if Node.js has it
 * @property {readonly number[]} nodes the versions of Node.js
 * @property {boolean} [isCompiled] from its source, for each Node.js: npm has no addon for it
 */

/** @type {readonly Driver[]} */
export const DRIVERS = [
  { name: 'better-sqlite3', folder: 'better-sqlite3-12.8', nodes: [20], isCompiled: true },
  // Compiled for Node.js 24.19 and newer, version 12 aborts the process when a statement is garbage-collected:
  // https://github.com/nodejs/node/issues/65446
  { name: 'better-sqlite3', folder: 'better-sqlite3-12.11', nodes: [20], isCompiled: true },
  { name: 'better-sqlite3', folder: 'better-sqlite3-13', nodes: [24, 26] },
  { name: '@photostructure/sqlite', folder: 'photostructure-2', nodes: [24, 26] },
  { name: 'node:sqlite', folder: 'node:sqlite', nodes: [24, 26] },
];

/** @param {Driver} driver */
export const folderOf = ({ folder }) => join(here, 'node_modules', folder);

/**
 * Where a library looks for an addon that was compiled for this version of Node.js.
 * @param {Driver} driver @param {string} version
 */
export const addonOf = (driver, version) =>
  join(folderOf(driver), 'compiled', version, process.platform, process.arch, 'better_sqlite3.node');

const major = Number.parseInt(process.versions.node, 10);

/** Those that are here for this Node.js. */
export const driversAtHand = () =>
  DRIVERS.filter(
    (driver) =>
      driver.nodes.includes(major) &&
      (driver.name.startsWith('node:') ||
        existsSync(driver.isCompiled ? addonOf(driver, process.versions.node) : folderOf(driver))),
  );

/**
 * The constructor of a connection.
 * @param {Driver} driver
 * @returns {new (file: string, options?: object) => import('../../src/entries/outbox-sqlite.js').SqliteDatabase}
 */
export function constructorOf({ folder }) {
  const library = require(folder);
  return library.DatabaseSync ?? library;
}
