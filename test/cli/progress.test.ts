import { PassThrough, Readable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { startProgress } from '../../src/cli/outbox/progress.js';
import { withTerminal } from '../../src/cli/terminal.js';

afterEach(() => vi.useRealTimers());

it.each([
  { isTTY: true, written: '\r\u001b[KRead: 1,200\r\u001b[K' },
  { isTTY: false, written: '' },
])('progress is shown on the standard error of the command only if that is a terminal: isTTY $isTTY', ({ isTTY, written }) => {
  vi.useFakeTimers();
  const stderr = Object.assign(new PassThrough(), { isTTY });
  withTerminal({ stdin: Readable.from([]), stdout: new PassThrough(), stderr }, () => {
    const progress = startProgress('Read');
    vi.advanceTimersByTime(1_000);
    progress.count(1_200);
    progress.end();
  });
  expect(String(stderr.read() ?? '')).toBe(written);
});
