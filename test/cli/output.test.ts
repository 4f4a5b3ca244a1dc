import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { sayAll, withTerminal } from '../../src/cli/output.js';

async function* lines(count: number, taken: number[] = []): AsyncGenerator<string> {
  for (let index = 0; index < count; index += 1) {
    taken.push(index);
    yield `${index}\n`;
  }
}

const sayTo = (stdout: Writable, texts: AsyncIterable<string>, options = {}) =>
  withTerminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() }, () => sayAll(texts, options));

it('a slow reader gets every line, and no listener is left behind', async () => {
  const got: string[] = [];
  let most = 0;
  const slow = new Writable({
    highWaterMark: 1,
    write(piece, _, done) {
      got.push(String(piece));
      most = Math.max(most, slow.listenerCount('drain'), slow.listenerCount('close'), slow.listenerCount('error'));
      setImmediate(done);
    },
  });
  await sayTo(slow, lines(100));
  expect(got.join('')).toBe(Array.from({ length: 100 }, (_, index) => `${index}\n`).join(''));
  expect(most).toBeLessThan(3);
  expect(['drain', 'close', 'error'].map((name) => slow.listenerCount(name))).toEqual([0, 0, 0]);
});

it.each([
  ['fails, as a pipe of which the reader has ended', (stream: Writable) => stream.destroy(new Error('EPIPE'))],
  ['is closed', (stream: Writable) => stream.destroy()],
  ['is ended', (stream: Writable) => stream.end()],
])('a stream that %s ends the output, before it or in the middle, and is not waited for', async (_, end) => {
  for (const at of [0, 3]) {
    const taken: number[] = [];
    let pieces = 0;
    const stream = new Writable({
      highWaterMark: 1,
      write(_piece, _encoding, done) {
        pieces += 1;
        setImmediate(() => {
          if (pieces === at) end(stream);
          done();
        });
      },
    });
    // That of the process has one, too.
    stream.on('error', () => undefined);
    if (at === 0) end(stream);
    await sayTo(stream, lines(1_000, taken));
    expect(taken.length).toBeLessThanOrEqual(at + 2);
  }
});

it('a stream that has failed without being closed is not waited for', async () => {
  const stream = new Writable({
    autoDestroy: false,
    highWaterMark: 1,
    write: (_p, _e, done) => done(new Error('EPIPE')),
  });
  stream.on('error', () => undefined);
  const taken: number[] = [];
  await sayTo(stream, lines(1_000, taken));
  expect(taken.length).toBeLessThanOrEqual(2);
});

it('texts that are counted are read to their end, although the output has failed', async () => {
  const stream = new Writable({ write: (_p, _e, done) => done(new Error('ENOSPC')) });
  stream.on('error', () => undefined);
  const taken: number[] = [];
  await sayTo(stream, lines(1_000, taken), { toEnd: true });
  expect(taken.length).toBe(1_000);
});
