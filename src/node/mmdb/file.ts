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
  /** Called with a message when a database cannot be used. It must not throw. */
  readonly warn: (message: string) => void;
}

/** The open database, and the version of its file. */
interface Opened {
  readonly reader: MmdbReader;
  readonly version: string;
}

/** Why the file cannot be used. The version is present if another try at the same version would fail too. */
interface Refused {
  readonly problem: string;
  readonly version?: string;
}

/** A file of a database in use. */
export interface MmdbFile {
  /** The database for lookups. It is a promise only until the first one is open. It checks for a new version at intervals, and never waits for it. */
  current(): Opened | Refused | Promise<Opened | Refused>;
  /** Opens the file, if it is not open yet. */
  open(): Promise<Opened | Refused>;
}

const LONGEST_READ = 64 * 1024 * 1024;

const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) => [dev, ino, size, mtimeNs, ctimeNs].join(' ');

/** The problem with a file, by the error's code: the error's message contains the path. */
const unreadable = (error: unknown): Refused => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return { problem: code === 'ENOENT' ? 'there is no such file (ENOENT)' : `it cannot be read (${typeof code === 'string' ? code : 'unknown reason'})` };
};

/** Fills the bytes from the start of the file. False if the file has fewer. */
async function readInto(bytes: Buffer, handle: FileHandle): Promise<boolean> {
  for (let length = 0; length < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, length, Math.min(bytes.length - length, LONGEST_READ), length);
    if (bytesRead === 0) return false;
    length += bytesRead;
  }
  return true;
}

/** Reads the whole file, so that the file may be replaced while its old version is in use. */
async function openFile({ file, Reader, maxBytes }: MmdbFileSettings): Promise<Opened | Refused> {
  // Imported here and not at the top: a database that is passed open needs no file system.
  const { constants, open } = await import('node:fs/promises');
  // Opened without blocking, since the path may be a pipe.
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
 * Keeps a file open in memory, and checks for a new version when it is used, at most once in `checkEveryMs`. There is
 * no watcher and no timer, so nothing keeps the process alive. A new version replaces the old one at once. A version
 * that cannot be used does not replace it.
 */
export function followMmdbFile(settings: MmdbFileSettings): MmdbFile {
  const { file, clock, checkEveryMs, warn } = settings;
  let opened: Opened | undefined;
  let opening: Promise<Opened | Refused> | undefined;
  let refused: Refused | undefined;
  let told: string | undefined;
  let checking = false;
  let checkedAt = 0;

  // A clock that was set back must not stop the checks.
  const isDue = () => Math.abs(clock.now() - checkedAt) >= checkEveryMs;

  /** Logs a problem once for each version of the file. */
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
      tell(result, 'Lookups skip it until it can be used.');
    } else {
      // Logged when it is found a second time: a file that is being written is complete a moment later.
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
    // A version whose problem was logged is not read again.
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
