import { closeSync, constants, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { MockGateway } from '../../mock/interface.js';
import { EXIT, Failure } from '../output.js';

/** A file that keeps the reports of a mock gateway. */
export interface StateFile {
  /** Writes the state of the gateway. A reader of the file sees the old state or the new one, never a part. */
  save(): void;
}

const reasonOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/** Opens a state file, and loads its reports into the gateway. If the file does not exist, `save` creates it. */
export async function openStateFile(given: string, gateway: MockGateway): Promise<StateFile> {
  const path = load(resolve(given), gateway);
  try {
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw new Failure(`the state file ${given} cannot be used: its folder cannot be written to (${reasonOf(error)})`);
  }
  return {
    save() {
      const temporary = resolve(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
      try {
        writeWhole(temporary, `${JSON.stringify(gateway.snapshot(), null, 2)}\n`);
        renameSync(temporary, path);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw new Failure(`the state file ${given} could not be written (${reasonOf(error)})`, EXIT.failed);
      }
    },
  };
}

/** Returns the real path of the file, so that `save` does not replace a link. */
function load(path: string, gateway: MockGateway): string {
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a regular file');
    gateway.restore(JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')));
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    // The message of the parser would show a part of the file.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error);
    throw new Failure(`the state file ${path} cannot be used and was not changed: ${reason.replace(/^The state cannot be used: /, '')}`);
  }
}

function writeWhole(path: string, text: string): void {
  // Only the owner may read it: reports are personal data.
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
