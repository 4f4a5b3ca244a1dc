/** An import of a file of the build, while the program runs. */
const OWN_IMPORT = /\bimport\((['"])(\.\/[^'"]+)\1\)/g;

/**
 * Lets CommonJS files load each other with `require` alone: Jest refuses `import()` in them.
 * @type {Exclude<import('tsup').Options['plugins'], undefined>[number]}
 */
export const requireLater = {
  name: 'require later',
  renderChunk: (code) => ({ code: code.replace(OWN_IMPORT, "Promise.resolve().then(() => require('$2'))") }),
};
