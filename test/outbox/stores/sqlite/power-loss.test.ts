import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pragma, type SqliteDatabase } from '../../../../src/outbox/stores/sqlite/database.js';
import { sampleSize } from '../../../support/cases.js';
import { claim, newRow, write } from '../../contract/harness.js';
import { newFile, openSqlite, openStore } from './files.js';

// A disk may keep all, some or none of the writes after the last sync, in any order and cut in any
// block. It keeps the state of the files at the last sync before the last acknowledged commit.

const SECTOR = 512;

interface Files {
  readonly database: Buffer;
  readonly wal: Buffer;
}

const filesOf = (file: string): Files => ({ database: readFileSync(file), wal: readFileSync(`${file}-wal`) });

/** A file after a power loss. Each block that differs from the synced state was written or not, at random. */
function torn(synced: Buffer, later: Buffer, { chance, cutAt }: { chance: () => number; cutAt: number }): Buffer {
  const length = Math.max(synced.length, Math.round(synced.length + cutAt * (later.length - synced.length)));
  const result = Buffer.alloc(length);
  synced.copy(result);
  for (let start = 0; start < length; start += SECTOR) {
    const end = Math.min(start + SECTOR, length, later.length);
    const fate = chance();
    // Either written, or as before. A new block may also hold zeros or old data of the disk.
    if (fate < 0.5) later.copy(result, start, start, end);
    else if (fate > 0.9 && start >= synced.length) result.fill(0xa5, start, end);
  }
  return result;
}

/** Rows that are acknowledged, then changes that are not acknowledged. Returns the files at both moments. */
async function history(acknowledged: number, unacknowledged: number, checkpoint: boolean) {
  const file = newFile();
  const opened: SqliteDatabase[] = [];
  const open = (path: string) => {
    const database = openSqlite(path);
    opened.push(database);
    return database;
  };
  const store = await openStore(file, { open });
  for (let index = 0; index < acknowledged; index += 1) await store.enqueue([newRow(`kept-${index}`)]);
  for (const database of checkpoint ? opened : []) pragma(database, 'wal_checkpoint(RESTART)');
  const [first] = await claim(store, 1);
  if (first) await write(store, first, { message: 'acknowledged' });
  const synced = filesOf(file);
  for (let index = 0; index < unacknowledged; index += 1) {
    await store.enqueue([newRow(`late-${index}`)]);
    for (const row of await claim(store, 2)) await write(store, row);
  }
  const later = filesOf(file);
  await store.close?.();
  return { synced, later, first };
}

describe('a power loss', { timeout: 60_000 }, () => {
  it('loses no acknowledged row, and leaves a valid file, independent of later writes', async () => {
    const histories = await Promise.all([history(6, 6, false), history(6, 6, true), history(40, 3, false)]);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...histories),
        fc.integer(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (past, seed, cutAt) => {
          const { synced, later, first } = past;
          const chance = randomOf(seed);
          const file = newFile();
          // No checkpoint ran after the sync: only the WAL was written.
          expect(later.database.equals(synced.database)).toBe(true);
          writeFileSync(file, synced.database);
          writeFileSync(`${file}-wal`, torn(synced.wal, later.wal, { chance, cutAt }));
          const store = await openStore(file);
          const rows = await store.list({ limit: 1_000 });
          const kept = rows.filter(({ reference }) => reference.startsWith('kept-'));
          expect(kept.length === 6 || kept.length === 40).toBe(true);
          expect(rows.find(({ id }) => id === first?.id)).toMatchObject({ state: 'recorded', message: 'acknowledged' });
          const { states } = await store.counts();
          expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(rows.length);
          await store.close?.();
          const database = openSqlite(file);
          expect(pragma(database, 'integrity_check')).toBe('ok');
          database.close();
        },
      ),
      { numRuns: sampleSize('losses of power with SQLite', 120) },
    );
  });

  it('in the middle of a checkpoint loses none either', async () => {
    const file = newFile();
    const store = await openStore(file);
    for (let index = 0; index < 30; index += 1) await store.enqueue([newRow(`kept-${index}`)]);
    const before = filesOf(file);
    const database = openSqlite(file);
    pragma(database, 'wal_checkpoint(PASSIVE)');
    const after = filesOf(file);
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.double({ min: 0, max: 1, noNaN: true }), async (seed, cutAt) => {
        // The WAL is synced before the first page is copied, and is kept until the copies are synced.
        const lost = newFile();
        writeFileSync(lost, torn(before.database, after.database, { chance: randomOf(seed), cutAt }));
        writeFileSync(`${lost}-wal`, before.wal);
        const again = await openStore(lost);
        expect((await again.counts()).states.waiting).toBe(30);
        expect((await again.list({ limit: 100 })).length).toBe(30);
        await again.close?.();
      }),
      { numRuns: sampleSize('losses of power during a checkpoint', 40) },
    );
    database.close();
    await store.close?.();
  });

  it('is detected if a commit had not waited for the disk and an acknowledged row is lost', async () => {
    // The same history, as if the last sync came before the last acknowledged change.
    const { synced, first } = await history(6, 0, true);
    const file = newFile();
    writeFileSync(file, synced.database);
    writeFileSync(`${file}-wal`, Buffer.alloc(0));
    const store = await openStore(file);
    expect(await store.get([first?.id ?? ''])).not.toMatchObject([{ state: 'recorded', message: 'acknowledged' }]);
    await store.close?.();
  });
});

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
