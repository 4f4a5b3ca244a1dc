// The options of a soak: whole numbers, each with its default.
import { parseArgs } from 'node:util';

/**
 * @template {Record<string, number>} Defaults
 * @param {Defaults} defaults
 * @returns {Defaults & { seed: number }}
 */
export function readOptions(defaults) {
  const all = { ...defaults, seed: Math.floor(Math.random() * 2 ** 31) };
  const names = Object.keys(all);
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(names.map((name) => [name, { type: /** @type {const} */ ('string') }])),
    });
    const given = {
      ...all,
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])),
    };
    if (Object.values(given).every((number) => Number.isInteger(number) && number >= 0) && given.workers !== 0)
      return given;
  } catch {
    // An unknown option.
  }
  console.error(`soak: ${names.map((name) => `--${name}`).join(', ')} are whole numbers, with at least one worker`);
  return process.exit(2);
}
