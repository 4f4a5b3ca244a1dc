import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { codeOf, Failure } from '../../output.js';

/** A part of a file that ends at the end of a record. */
export interface Block {
  readonly text: string;
  /** The number of its first line, from 1. */
  readonly line: number;
  /** The position of its end in the file, in bytes. */
  readonly end: number;
}

/** A file that is read twice: checked first, then imported. */
export type Source = Awaited<ReturnType<typeof openSource>>;

const READ_BYTES = 256 * 1024;
const HEAD_BYTES = 64 * 1024;
/** No report is longer. A longer record usually has a quote that is not closed. */
const MOST_RECORD_BYTES = 1024 * 1024;
const [QUOTE, LINE_FEED] = [0x22, 0x0a];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Opens a regular file that contains text in UTF-8. */
export async function openSource(path: string) {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    const code = codeOf(error);
    throw new Failure(code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${code})`);
  }
  try {
    return await sourceOf(path, handle);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function sourceOf(path: string, handle: FileHandle) {
  const opened = await handle.stat();
  if (!opened.isFile())
    throw new Failure(`${path} is not a regular file: import reads the file twice, first to check every line`);
  if (opened.size === 0) throw new Failure(`${path} is empty: its export may have failed`);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const start = buffer.subarray(0, bytesRead);
  const skipped = start.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  // UTF-16, with or without a byte order mark.
  if (/^\xff\xfe|^\xfe\xff|^[^\n]*\0/.test(start.toString('latin1'))) throw new Failure(notText(path, 'line 1'));
  let endsOpen = false;

  /** Yields the records in blocks. If the format has `quotes`, a line break within quotes does not end a record. */
  async function* blocks({ quotes }: { readonly quotes: boolean }): AsyncGenerator<Block> {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    let rest = Buffer.alloc(0);
    let line = 1;
    /** Line breaks in the data that was not yielded yet. */
    let breaks = 0;
    let inQuotes = false;
    for (let position = skipped; ; ) {
      const { bytesRead: length } = await handle.read(chunk, 0, READ_BYTES, position);
      if (length === 0) break;
      position += length;
      const data = Buffer.concat([rest, chunk.subarray(0, length)]);
      let [cut, breaksBefore] = [0, 0];
      for (let index = rest.length; index < data.length; index += 1) {
        const byte = data[index];
        if (byte === QUOTE) inQuotes = quotes && !inQuotes;
        else if (byte === 0) throw new Failure(notText(path, `line ${line + breaks}`));
        else if (byte === LINE_FEED) {
          breaks += 1;
          if (!inQuotes) [cut, breaksBefore] = [index + 1, breaks];
        }
      }
      if (cut > 0) {
        yield {
          text: textOf(data.subarray(0, cut), path, line),
          line,
          end: position - data.length + cut,
        };
        line += breaksBefore;
        breaks -= breaksBefore;
      }
      rest = data.subarray(cut);
      if (rest.length > MOST_RECORD_BYTES)
        throw new Failure(
          `${path}, line ${line}: this record is longer than 1 MB${quotes ? '; is a quote not closed?' : ''}`,
        );
    }
    if (inQuotes)
      throw new Failure(
        `${path}: a quote that opens in line ${line} or later is not closed; is the end of the file missing?`,
      );
    endsOpen = rest.length > 0;
    if (endsOpen) yield { text: textOf(rest, path, line), line, end: opened.size };
  }

  return {
    path,
    size: opened.size,
    /** The beginning of the file, without a byte order mark. */
    head: start.subarray(skipped),
    /** Whether the whole file is in `head`. */
    isShort: bytesRead === opened.size,
    blocks,
    /** Whether the last line ended without a line break when `blocks` last read it. */
    endsOpen: () => endsOpen,
    async expectUnchanged(): Promise<void> {
      const now = await handle.stat();
      if (now.size === opened.size && now.mtimeMs === opened.mtimeMs) return;
      throw new Failure(
        `${path} was changed while it was read. The reports enqueued so far stay in the outbox. Import a file that no program writes to`,
      );
    },
    close: () => handle.close(),
  };
}

const notText = (path: string, where: string): string =>
  `${path}, ${where}: this is not UTF-8 text; if the file is UTF-16 or a spreadsheet, save it as CSV in UTF-8`;

function textOf(bytes: Buffer, path: string, line: number): string {
  if (!isUtf8(bytes)) throw new Failure(notText(path, `line ${line} or later`));
  return bytes.toString('utf8');
}
