import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { asRecord } from '../../../platform/as-record.js';
import { EXIT, Failure } from '../../output.js';
import { time } from '../printable.js';

/** `bets.csv.reportSettledBet.import` beside `bets.csv`. It exists from the beginning of an import until its end. */
export const stateFileOf = (path: string, operation: string): string => `${path}.${operation}.import`;

/** Reads that file. Undefined if it does not exist or cannot be read. */
function read(file: string): { readonly checksum: string; readonly begun: number } | undefined {
  try {
    const { checksum, begun } = asRecord(JSON.parse(readFileSync(file, 'utf8')));
    return typeof checksum === 'string' && typeof begun === 'number' ? { checksum, begun } : undefined;
  } catch {
    // An import continues without it, too, but does not notice a change of the imported file.
    return undefined;
  }
}

/** Returns whether an import was interrupted. Fails if the imported file has changed since then. */
export function expectSameFile(state: string, path: string, checksum: string): boolean {
  const known = read(state);
  if (!known) return false;
  if (known.checksum === checksum) return true;
  throw new Failure(
    `${path} has changed since ${time(known.begun)}, when an import of it began that was interrupted. Nothing was enqueued now. Restore the old file. Or, if the new file is right, delete ${state} and run the command again: a report that the outbox has with other data is refused`,
    EXIT.failed,
  );
}

/** Records that an import begins, with the checksum of its file and no data of a report. */
export function noteBegun(state: string, checksum: string): void {
  try {
    // This run continues an import of the same file.
    if (read(state)) return;
    // An import that is killed during this write has enqueued nothing. It is always a new file, so no link of another program is followed.
    rmSync(state, { force: true });
    writeFileSync(state, JSON.stringify({ checksum, begun: Date.now() }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new Failure(`${state} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}). Nothing was enqueued`, EXIT.failed);
  }
}

/** Records that the import has ended. */
export const noteEnded = (state: string): void => rmSync(state, { force: true });
