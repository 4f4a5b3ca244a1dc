/** `--smoke`: every part is started once, in a few seconds, and no result is judged or stored. */
export const isSmoke = process.argv.includes('--smoke');

/** The size of a measurement. @template T @param {T} whole @param {T} smoke */
export const sizeOf = (whole, smoke) => (isSmoke ? smoke : whole);
