import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientOptions } from '../../client/options.js';
import { type Limit, withTimeout } from '../../platform/time.js';
import { Failure } from '../output.js';

/** The client options of a file, its default export; none without a file. What the file waits for ends with the limit. */
export async function readOptionsFile(file: string | undefined, limit: Limit): Promise<ClientOptions> {
  if (file === undefined) return {};
  const loaded = await withTimeout<{ readonly default?: unknown }>(() => import(pathToFileURL(resolve(file)).href), limit);
  if (loaded.ended === 'failed') {
    // Not its message: what the file throws may hold the key.
    const { code, name } = (loaded.error ?? {}) as { code?: unknown; name?: unknown };
    throw new Failure(`--options ${file} cannot be loaded (${String(code ?? name)}): it must be a module of Node.js`);
  }
  if (loaded.ended !== 'done') throw new Failure(`--options ${file} cannot be loaded in time (see --timeout): it waits for something`);
  const { default: options } = loaded.value;
  if (typeof options !== 'object' || options === null) throw new Failure(`--options ${file} has no default export that is an object of client options`);
  return options;
}
