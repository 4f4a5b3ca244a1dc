import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { codeOf, Failure } from '../../output.js';

interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

/** A file that is read twice: checked first, then imported. */
export type Source = Awaited<ReturnType<typeof openSource>>;

const PIECE_BYTES = 64 * 1024;

/** Opens a regular file that contains text in UTF-8. */
export async function openSource(path: string) {
  const cannotRead = (error: unknown): never => {
    const code = codeOf(error);
    throw new Failure(code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${code})`);
  };
  const opened = await stat(path).catch(cannotRead);
  const { size } = opened;
  if (!opened.isFile())
    throw new Failure(`${path} is not a regular file: the command reads it twice, first to check every line`);
  if (size === 0) throw new Failure(`${path} is empty: its export may have failed`);
  const handle = await open(path).catch(cannotRead);
  let position = 0;

  /** Yields the text of the file, without a byte order mark. The last piece is missing if the file was cut off. */
  async function* pieces(): AsyncGenerator<Piece> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let line = 1;
    for (position = 0; position < size; ) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      const isLast = position >= size;
      const text = decoded(decoder, buffer.subarray(0, bytesRead), !isLast);
      if (text === undefined || text.includes('\0'))
        throw new Failure(
          `${path}, line ${line} or later: this is not UTF-8 text; if the file is compressed, UTF-16 or a spreadsheet, save it as CSV in UTF-8`,
        );
      yield { text, isLast };
      line += text.split('\n').length - 1;
    }
  }

  return {
    path,
    size,
    pieces,
    /** Of the whole file, in hexadecimal digits. */
    async sha256(): Promise<string> {
      const hash = createHash('sha256');
      for (let at = 0; ; ) {
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
        if (bytesRead === 0) return hash.digest('hex');
        hash.update(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
    },
    /** In bytes. */
    position: () => position,
    async expectUnchanged(): Promise<void> {
      const now = await handle.stat();
      if (now.size === size && now.mtimeMs === opened.mtimeMs) return;
      throw new Failure(
        `${path} was changed while it was read. The reports done so far stay as they are. Give a file that no program writes to`,
      );
    },
    close: () => handle.close(),
  };
}

function decoded(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string | undefined {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    return undefined;
  }
}
