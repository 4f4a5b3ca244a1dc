import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { asRecord } from '../../../platform/as-record.js';
import { EXIT, Failure } from '../../output.js';
import { time } from '../printable.js';

/** `bets.csv.reportSettledBet.import` beside `bets.csv`: an import of it has begun, and has not ended. */
export const stateFileOf = (path: string, operation: string): string => `${path}.${operation}.import`;

/** What such a file says; undefined where there is none, or none that can be read. */
function read(file: string): { readonly checksum: string; readonly begun: number } | undefined {
  try {
    const { checksum, begun } = asRecord(JSON.parse(readFileSync(file, 'utf8')));
    return typeof checksum === 'string' && typeof begun === 'number' ? { checksum, begun } : undefined;
  } catch {
    // Without it an import goes on as well: only a change of the file is not noticed.
    return undefined;
  }
}

/** Fails where an import was interrupted, and its file is another one by now. Tells whether one was interrupted. */
export function expectSameFile(state: string, path: string, checksum: string): boolean {
  const known = read(state);
  if (!known) return false;
  if (known.checksum === checksum) return true;
  throw new Failure(
    `${path} has changed since ${time(known.begun)}, when its import began that did not end. Nothing was enqueued now. Import the file as it was; or, if the new one is right, delete ${state} and run the command again: a report that the outbox holds with other data is refused`,
    EXIT.failed,
  );
}

/** Notes that an import begins: what is in the file, and nothing of any report. */
export function noteBegun(state: string, checksum: string): void {
  try {
    // It goes on with the same file.
    if (read(state)) return;
    // Killed while it is written, an import has enqueued nothing. A link that another program put there is not followed.
    rmSync(state, { force: true });
    writeFileSync(state, JSON.stringify({ checksum, begun: Date.now() }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new Failure(`${state} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}). Nothing was enqueued`, EXIT.failed);
  }
}

/** Notes that it has ended. */
export const noteEnded = (state: string): void => rmSync(state, { force: true });
