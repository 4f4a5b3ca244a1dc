import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { asRecord } from '../../../platform/as-record.js';
import { EXIT, Failure } from '../../output.js';
import { time } from '../printable.js';

/** `bets.csv.reportSettledBet.import` beside `bets.csv`. It exists from the beginning of an import until its end. */
export const stateFileOf = (path: string, operation: string): string => `${path}.${operation}.import`;

/** An import continues an interrupted one only if all of these are the same. */
export interface Begun {
  /** Of the file. */
  readonly checksum: string;
  /** Account, environment and outbox, in words. */
  readonly into: string;
  /** The checksum of the names that `--map` gives. */
  readonly map: string;
}

/** Reads that file. Undefined if it does not exist or cannot be read. */
function read(file: string): (Begun & { readonly begun: number }) | undefined {
  try {
    const { checksum, into, map, begun } = asRecord(JSON.parse(readFileSync(file, 'utf8')));
    const isWhole = typeof checksum === 'string' && typeof into === 'string' && typeof map === 'string' && typeof begun === 'number';
    return isWhole ? { checksum, into, map, begun } : undefined;
  } catch {
    // An import continues without it, too, but does not notice a change of the imported file.
    return undefined;
  }
}

/** Returns whether an import was interrupted. Fails if the imported file, its target or its map has changed since then. */
export function expectSameImport(state: string, path: string, { checksum, into, map }: Begun): boolean {
  const known = read(state);
  if (!known) return false;
  if (known.checksum === checksum && (known.into !== into || known.map !== map))
    throw new Failure(
      `an import of ${path} began at ${time(known.begun)} into ${known.into} and was interrupted; this one ${known.into === into ? 'has another --map' : `goes into ${into}`}. Nothing was enqueued now. Run the first one again to its end. Or, if this one is right, delete ${state} and run the command again: a report that the first one has enqueued stays there, and may then be reported twice`,
      EXIT.failed,
    );
  if (known.checksum === checksum) return true;
  throw new Failure(
    `${path} has changed since ${time(known.begun)}, when an import of it began that was interrupted. Nothing was enqueued now. Restore the old file. Or, if the new file is right, delete ${state} and run the command again: a report that the outbox has with other data is refused`,
    EXIT.failed,
  );
}

/** Records that an import begins, with checksums and its target, and no data of a report. */
export function noteBegun(state: string, begun: Begun): void {
  try {
    // This run continues an import of the same file.
    if (read(state)) return;
    // An import that is killed during this write has enqueued nothing. It is always a new file, so no link of another program is followed.
    rmSync(state, { force: true });
    writeFileSync(state, JSON.stringify({ ...begun, begun: Date.now() }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new Failure(`${state} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}). Nothing was enqueued`, EXIT.failed);
  }
}

/** Records that the import has ended. */
export const noteEnded = (state: string): void => rmSync(state, { force: true });
