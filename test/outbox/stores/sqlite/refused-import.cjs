// Opens a store in modules in which import() is refused, as Jest loads them: `node refused-import.cjs outbox.db [library]`,
// with the built package. A library that is named is loaded here, and passed as `open`.
const Module = require('node:module');
const { dirname } = require('node:path');
const { runInThisContext } = require('node:vm');

Object.assign(Module.prototype, {
  /** @this {NodeJS.Module} @param {string} content @param {string} filename */
  _compile(content, filename) {
    const run = runInThisContext(Module.wrap(content), { filename });
    return run.call(this.exports, this.exports, Module.createRequire(filename), this, filename, dirname(filename));
  },
});

const [file, library] = process.argv.slice(2);
const { sqliteStore } = require('location-sdk/outbox/sqlite');
const open = library ? (/** @type {string} */ path) => new (require(library).DatabaseSync)(path) : undefined;
sqliteStore({ file, open }).then(
  async (store) => {
    await store.close?.();
    console.log('opened');
  },
  ({ message }) => console.log(message),
);
