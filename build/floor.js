/** The syntax of the oldest browsers for files that pages load, for tsup. Samsung Internet 13 is Chromium 83. */
export const floor = {
  target: ['chrome80', 'edge80', 'firefox78', 'safari14'],
  /** @param {import('esbuild').BuildOptions} options */
  esbuildOptions(options) {
    // The browsers have both, with faults in rare forms: test/packaging/checks/floor.js refuses those of `?.`.
    options.supported = { ...options.supported, destructuring: true, 'optional-chain': true };
  },
};
