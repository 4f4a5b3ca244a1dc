/**
 * Mutants that change nothing which a caller, the gateway or a store could see. `original` is the mutated piece of the
 * source with its blanks made one.
 *
 * @type {readonly { file: string, original: string, replacement: string, reason: string }[]}
 */
export const EQUIVALENT = [];
