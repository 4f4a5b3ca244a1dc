import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { MmdbReader } from '../../location/mmdb/mmdb-lookup.js';
import type { Clock } from '../../platform/time.js';
import { type MmdbReaderClass, openReader } from './reader.js';

export interface MmdbFileSettings {
  readonly file: string;
  readonly Reader: MmdbReaderClass | undefined;
  readonly checkEveryMs: number;
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Told of a database that cannot be used; must not throw. */
  readonly warn: (message: string) => void;
}

/** The open database, and which version of the file it is. */
interface Opened {
  readonly reader: MmdbReader;
  readonly version: string;
}

/** Why the file cannot be used. Its version is there where another try at the same version cannot end otherwise. */
interface Refused {
  readonly problem: string;
  readonly version?: string;
}

/** A file of a database in use. */
export interface MmdbFile {
  /** What lookups use now; a promise only where nothing was opened yet. Looks for a new version now and then, and never waits for it. */
  current(): Opened | Refused | Promise<Opened | Refused>;
  /** Opens the file, if it is not open already. */
  open(): Promise<Opened | Refused>;
}

const LONGEST_READ = 64 * 1024 * 1024;

const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) => [dev, ino, size, mtimeNs, ctimeNs].join(' ');

/** An error of the file system, by its code: its message names the path. */
const unreadable = (error: unknown): Refused => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return { problem: code === 'ENOENT' ? 'there is no such file (ENOENT)' : `it cannot be read (${typeof code === 'string' ? code : 'unknown reason'})` };
};

/** Fills the bytes from the start of the file; false where it has fewer. */
async function readInto(bytes: Buffer, handle: FileHandle): Promise<boolean> {
  for (let length = 0; length < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, length, Math.min(bytes.length - length, LONGEST_READ), length);
    if (bytesRead === 0) return false;
    length += bytesRead;
  }
  return true;
}

/** Reads the whole file, so that it may be replaced in any way while its old version is in use. */
async function openFile({ file, Reader, maxBytes }: MmdbFileSettings): Promise<Opened | Refused> {
  // Here and not at the top: a database that is passed open needs no file system.
  const { constants, open } = await import('node:fs/promises');
  // Without waiting, lest a pipe be waited for.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat({ bigint: true });
    const version = versionOf(stats);
    if (!stats.isFile()) return { problem: 'it is not a file', version };
    if (stats.size > maxBytes) return { problem: `it has ${stats.size} bytes, and maxBytes is ${maxBytes}`, version };
    const bytes = Buffer.allocUnsafeSlow(Number(stats.size));
    const whole = await readInto(bytes, handle);
    if (!whole || versionOf(await handle.stat({ bigint: true })) !== version) return { problem: 'it changed while it was read' };
    return { ...(await openReader(bytes, Reader)), version };
  } finally {
    await handle.close();
  }
}

/**
 * Keeps a file open in memory, and looks for a new version of it when it is used, at most once in `checkEveryMs`. There is no
 * watcher and no timer, so nothing keeps the process alive. One version is replaced by the next at once, and a version
 * that cannot be used replaces nothing.
 */
export function followMmdbFile(settings: MmdbFileSettings): MmdbFile {
  const { file, clock, checkEveryMs, warn } = settings;
  let opened: Opened | undefined;
  let opening: Promise<Opened | Refused> | undefined;
  let refused: Refused | undefined;
  let told: string | undefined;
  let checking = false;
  let checkedAt = 0;

  // A clock that was put back must not end the checks.
  const isDue = () => Math.abs(clock.now() - checkedAt) >= checkEveryMs;

  /** Says what is wrong once for each version of the file. */
  const tell = ({ problem, version }: Refused, consequence: string) => {
    const what = `${version}: ${problem}`;
    if (told !== what) warn(`the database ${file} cannot be used: ${problem}. ${consequence}`);
    told = what;
  };

  function settle(result: Opened | Refused): Opened | Refused {
    if ('reader' in result) {
      opened = result;
      refused = told = undefined;
    } else if (!opened) {
      refused = result;
      tell(result, 'Addresses are not looked up in it until it can.');
    } else {
      // Said when it is found a second time: a file that is being written is whole a moment later.
      if (result.problem === refused?.problem && result.version === refused.version) tell(result, 'The version that was read before stays in use.');
      refused = result;
    }
    return result;
  }

  function open(): Promise<Opened | Refused> {
    if (opened) return Promise.resolve(opened);
    checkedAt = clock.now();
    opening ??= openFile(settings)
      .catch(unreadable)
      .then(settle)
      .finally(() => {
        opening = undefined;
      });
    return opening;
  }

  async function check(inUse: Opened): Promise<void> {
    const { stat } = await import('node:fs/promises');
    const version = versionOf(await stat(file, { bigint: true }));
    if (version === inUse.version) refused = told = undefined;
    // A version that was told of is not read again.
    else if (!(told !== undefined && refused?.version === version)) settle(await openFile(settings));
  }

  return {
    open,
    current() {
      if (!opened) return opening ?? (refused && !isDue() ? refused : open());
      if (!checking && isDue()) {
        checking = true;
        checkedAt = clock.now();
        check(opened)
          .catch((error: unknown) => void settle(unreadable(error)))
          .finally(() => {
            checking = false;
          });
      }
      return opened;
    },
  };
}
