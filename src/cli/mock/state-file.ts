import { closeSync, constants, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { MockGateway } from '../../mock/interface.js';
import { EXIT, Failure } from '../output.js';

/** A file that outlives the mock gateway. */
export interface StateFile {
  /** Writes what the gateway holds; whoever reads the file sees the old state or the new one, never a part. */
  save(): void;
}

const reasonOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/** Opens a state file and gives the gateway what it holds; a file that does not exist yet is made by `save`. */
export async function openStateFile(given: string, gateway: MockGateway): Promise<StateFile> {
  const path = load(resolve(given), gateway);
  try {
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw new Failure(`the state file ${given} could not be written at the end: its folder cannot be written to (${reasonOf(error)})`);
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

/** Gives the file's real path, so that a link to it stays one. */
function load(path: string, gateway: MockGateway): string {
  try {
    if (!statSync(path).isFile()) throw new Error('it is no plain file');
    gateway.restore(JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')));
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    // The parser's own words show what stands in the file.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error);
    throw new Failure(`the state file ${path} is left as it is and cannot be used: ${reason.replace(/^The state cannot be used: /, '')}`);
  }
}

function writeWhole(path: string, text: string): void {
  // For the owner alone: reports are personal data.
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
