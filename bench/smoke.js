/** `--smoke`: every part is started once, in a few seconds, and no figure is judged or written down. */
export const isSmoke = process.argv.includes('--smoke');

/** A size of what is measured. @template T @param {T} whole @param {T} smoke */
export const sizeOf = (whole, smoke) => (isSmoke ? smoke : whole);
