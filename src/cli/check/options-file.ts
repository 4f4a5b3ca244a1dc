import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ClientOptions } from '../../core/client/options.js';
import { asRecord } from '../../core/platform/as-record.js';
import { Failure } from '../output.js';

/**
 * The client options are the default export of a file, those of an outbox its export `outbox`. Without a file there are
 * none.
 */
export async function readOptionsModule(file: string | undefined): Promise<{ client: ClientOptions; outbox: unknown }> {
  if (file === undefined) return { client: {}, outbox: undefined };
  let loaded: { readonly default?: unknown; readonly outbox?: unknown };
  try {
    loaded = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    // The message is not shown, since an error of the file may contain the key.
    const { code, name } = asRecord(error);
    throw new Failure(`--options ${file} cannot be loaded (${String(code ?? name)}): it must be a module of Node.js`);
  }
  const { outbox, default: options = outbox === undefined ? undefined : {} } = loaded;
  if (!isObject(options))
    throw new Failure(
      `--options ${file} exports no object of client options as default, and no options of an outbox as outbox`,
    );
  if (outbox !== undefined && !isObject(outbox))
    throw new Failure(`--options ${file}: its export outbox must be an object of options of an outbox`);
  return { client: options, outbox };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
