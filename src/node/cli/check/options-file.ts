import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientOptions } from '../../../options.js';
import { Failure } from '../output.js';

/** The client options of a file, its default export; none without a file. */
export async function readOptionsFile(file: string | undefined): Promise<ClientOptions> {
  if (file === undefined) return {};
  const { default: options } = await load(file);
  if (typeof options !== 'object' || options === null) throw new Failure(`--options ${file} has no default export that is an object of client options`);
  return options;
}

async function load(file: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown };
  } catch (error) {
    // Not its message: what the file throws may hold the key.
    const { code, name } = error as { code?: unknown; name?: unknown };
    throw new Failure(`--options ${file} cannot be loaded (${String(code ?? name)}): it must be a module of Node.js`);
  }
}
