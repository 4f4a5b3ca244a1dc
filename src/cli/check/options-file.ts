import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientOptions } from '../../client/options.js';
import { type Limit, withTimeout } from '../../platform/time.js';
import { Failure } from '../output.js';

/** What a file with options exports. */
export interface OptionsModule {
  /** Client options: its default export. */
  readonly client: ClientOptions;
  /** Options of an outbox, such as `encryption`: its export `outbox`. */
  readonly outbox: unknown;
}

/** The client options of a file, its default export; none without a file. What the file waits for ends with the limit. */
export const readOptionsFile = async (file: string | undefined, limit: Limit): Promise<ClientOptions> => (await readOptionsModule(file, limit)).client;

/** The same with the options of an outbox. */
export async function readOptionsModule(file: string | undefined, limit: Limit): Promise<OptionsModule> {
  if (file === undefined) return { client: {}, outbox: undefined };
  const loaded = await withTimeout<{ readonly default?: unknown; readonly outbox?: unknown }>(() => import(pathToFileURL(resolve(file)).href), limit);
  if (loaded.ended === 'failed') {
    // Not its message: what the file throws may hold the key.
    const { code, name } = (loaded.error ?? {}) as { code?: unknown; name?: unknown };
    throw new Failure(`--options ${file} cannot be loaded (${String(code ?? name)}): it must be a module of Node.js`);
  }
  if (loaded.ended !== 'done') throw new Failure(`--options ${file} cannot be loaded in time (see --timeout): it waits for something`);
  const { default: options, outbox } = loaded.value;
  if (typeof options !== 'object' || options === null) throw new Failure(`--options ${file} has no default export that is an object of client options`);
  return { client: options, outbox };
}
