import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/core/client/create-client.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox } from '../../src/entries/outbox.js';
import { type SqliteDatabase, sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { contextOf } from '../../src/operator/context.js';
import { readPlayer } from '../../src/operator/player.js';
import { leaksIn, personalBet, personalSettlement, personalWithdrawal } from '../outbox/personal.js';
import { newFile, openSqlite, openStore, query } from '../outbox/stores/sqlite/files.js';
import { betEvent, settledWithdrawal } from '../support/factories.js';
import {
  fill,
  optionsWith,
  PLAYER,
  type Place,
  REASON,
  runAt,
  testErasureBesideReopening,
  testErasureBesideReplacement,
  testKilledErasure,
  testPlayer,
} from './player.js';

function newPlace(): Place {
  const file = newFile();
  return {
    words: [file],
    open: () => openStore(file),
    bytes: async () => readFileSync(file, 'latin1') + readFileSync(`${file}-wal`, 'latin1'),
  };
}

testPlayer(async () => newPlace());
testKilledErasure(async () => newPlace());
testErasureBesideReopening(async () => newPlace());
testErasureBesideReplacement(async () => newPlace());

const slow = { tags: 'slow', timeout: 60_000 };

describe('location-sdk outbox <file> player', () => {
  it('erases nothing without a reason, or with one that names the player', async () => {
    const place = newPlace();
    const run = runAt(place);
    const store = await place.open();
    await fill(store);
    const before = await store.list({ limit: 100 });
    for (const [words, why] of [
      [[PLAYER, '--erase'], '--erase needs --reason'],
      [[PLAYER, '--erase', '--reason', ' '], '--reason'],
      [[PLAYER, '--erase', '--reason', `asked by ${PLAYER}`], '--reason contains the id of the player'],
      [[PLAYER, '--reason', 'why'], '--reason goes with --erase'],
      [[' '], 'player needs the id of one player'],
      [[], 'player needs the id of one player'],
    ] as const) {
      const { code, err } = await run('player', ...words);
      expect([code, err]).toEqual([2, expect.stringContaining(why)]);
      expect(err).not.toContain(PLAYER);
    }
    expect(await store.list({ limit: 100 })).toEqual(before);
    await store.close?.();
  });

  it('says which key is missing, and fails', async () => {
    const place = newPlace();
    const run = runAt(place);
    const store = await place.open();
    const key = btoa('k'.repeat(32));
    await fill(store, { keys: { '2026-10': key }, current: '2026-10' });
    const other = optionsWith({ keys: { '2026-11': key }, current: '2026-11' });
    for (const words of [[], other]) {
      const { code, out, err } = await run('player', PLAYER, ...words);
      expect([code, out]).toEqual([
        1,
        'Not known: 8 reports could not be read. No other stored body names this player.\n',
      ]);
      expect(err).toContain('NOT READ: 8 reports sealed with the key 2026-10. Give --options');
    }
    const wrong = await run('player', PLAYER, ...optionsWith({ keys: { a: 'short' }, current: 'a' }));
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('outbox.encryption.keys') });
    const keys = JSON.parse((await run('keys', '--json')).out);
    expect(keys).toMatchObject({ open: 2, kept: 5, locations: 1, fingerprints: 7 });
    await store.close?.();
  });

  it('knows no unknown player, and narrows to an environment', async () => {
    const place = newPlace();
    const run = runAt(place);
    const store = await place.open();
    await fill(store);
    expect(await run('player', 'U-nobody')).toMatchObject({ code: 0, out: 'No stored body names this player.\n' });
    const narrowed = await run('player', PLAYER, '--environment', 'production', '--json');
    expect(JSON.parse(narrowed.out)).toMatchObject({ places: [], looked: 0 });
    await store.close?.();
  });

  it('knows a player whose id has blanks at its ends, in the command or in a report', async () => {
    const place = newPlace();
    const store = await place.open();
    const outbox = createOutbox({ client: createClient(createMockGateway().clientOptions()), store });
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-1', user: { ...betEvent().user, user_id: PLAYER } }));
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-2', user: { ...betEvent().user, user_id: `${PLAYER} ` } }));
    const run = runAt(place);
    for (const id of [PLAYER, ` ${PLAYER} `]) {
      expect(JSON.parse((await run('player', id, '--json')).out)).toMatchObject({ places: [{ reports: 2 }] });
      expect(await run('player', id, '--erase', '--reason', `asked by ${PLAYER}`)).toMatchObject({ code: 2 });
    }
    await store.close?.();
  });

  it('counts a report without a body by the other one of its reference', async () => {
    const place = newPlace();
    const store = await place.open();
    const client = createClient(createMockGateway().clientOptions());
    const [deletes, keeps] = [createOutbox({ client, store }), createOutbox({ client, store, keepBodies: true })];
    await deletes.reportBetEvent(personalBet('B-1'));
    await deletes.drain();
    await keeps.reportSettledBet(personalSettlement('B-1'));
    await keeps.drain();
    const { out } = await runAt(place)('player', PLAYER, '--erase', '--reason', REASON, '--json');
    const found = JSON.parse(out);
    expect(found).toMatchObject({ erasable: 1, erased: 1 });
    expect(found.places).toMatchObject([
      { operation: 'reportSettledBet', reports: 1, bodies: 1 },
      { operation: 'reportBetEvent', reports: 1, bodies: 0 },
    ]);
    await store.close?.();
  });

  it('a repeated settlement without the erased location says that the report is recorded and erased', async () => {
    const place = newPlace();
    const store = await place.open();
    const gateway = createMockGateway();
    const outbox = createOutbox({ client: createClient(gateway.clientOptions()), store });
    const location = { latitude: 6.5, longitude: 3.4, source: 'gps' };
    const settlement = { ...settledWithdrawal(), request_id: 'W-1' };
    await outbox.reportWithdrawalEvent({ ...personalWithdrawal('W-1'), location });
    await outbox.reportSettledWithdrawal(settlement);
    await outbox.drain();
    for (const player of [PLAYER, 'U-88412'])
      expect((await runAt(place)('player', player, '--erase', '--reason', REASON)).code).toBe(0);
    await expect(outbox.reportSettledWithdrawal(settlement)).rejects.toMatchObject({
      code: 'duplicate',
      message: expect.stringContaining('It is recorded, and a person erased its data.'),
    });
    expect(await outbox.reportSettledWithdrawal(settlement, { location })).toMatchObject({ state: 'recorded' });
    await outbox.drain();
    expect(gateway.reports('staging', { operation: 'reportSettledWithdrawal' })).toHaveLength(1);
    await store.close?.();
  });

  it('says that another process kept the log of the file from being emptied, and empties it later', slow, async () => {
    const place = newPlace();
    const [file = ''] = place.words;
    const store = await sqliteStore({ file });
    await fill(store);
    const reader = openSqlite(file);
    reader.exec('BEGIN');
    query(reader, 'SELECT count(*) FROM outbox_rows');
    const erased = await runAt(place)('player', PLAYER, '--erase', '--reason', REASON);
    expect(erased).toMatchObject({ code: 1, err: expect.stringContaining('NOT EMPTIED: the -wal file') });
    expect(erased.err).toContain('Erased: 5 reports.');
    expect(leaksIn(await place.bytes())).toContain(personalBet('B-1').user.first_name);
    reader.exec('COMMIT');

    const again = await runAt(place)('player', PLAYER, '--erase', '--reason', REASON);
    expect(again).toMatchObject({ code: 0, err: expect.not.stringContaining('NOT EMPTIED') });
    expect(leaksIn(await place.bytes())).toEqual([PLAYER]);
    reader.close();
    await store.close?.();
  });

  it('counts what it has erased when the log of the file cannot be emptied', async () => {
    const place = newPlace();
    const [file = ''] = place.words;
    let isFull = false;
    const open = (name: string): SqliteDatabase => {
      const database = openSqlite(name);
      const prepare = (sql: string) => {
        if (isFull && sql.includes('wal_checkpoint')) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
        return database.prepare(sql);
      };
      return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() };
    };
    const store = await sqliteStore({ file, open });
    await fill(store);
    isFull = true;
    const erase = { decision: crypto.randomUUID(), who: 'ada', reason: REASON };
    const found = await readPlayer(contextOf(store, '', undefined), { player: PLAYER, erase });
    expect(found).toMatchObject({ erasable: 5, erased: 5, logEmptied: false });
    await store.close?.();
  });

  it('a VACUUM beside a running outbox leaves no erased byte, and the outbox works on', slow, async () => {
    const place = newPlace();
    const [file = ''] = place.words;
    const store = await sqliteStore({ file });
    const client = createClient(createMockGateway().clientOptions());
    const outbox = createOutbox({ client, store, keepBodies: true });
    // Bodies of many lengths, so that pages are split.
    for (let index = 0; index < 300; index += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, more) => {
          const metadata = { note: 'n'.repeat(((index + more) * 13) % 900) };
          const bet = more % 3 === 0 ? personalBet(`B-${index + more}`) : betEvent({ bet_id: `B-${index + more}` });
          return outbox.reportBetEvent({ ...bet, metadata });
        }),
      );
    outbox.start();
    await outbox.drain();
    const erased = await runAt(place)('player', PLAYER, '--erase', '--reason', REASON);
    expect(erased).toMatchObject({ code: 0, err: expect.stringMatching(/A SQLite file loses\s+them by VACUUM/) });

    const other = openSqlite(file);
    for (const sql of ['VACUUM', 'PRAGMA wal_checkpoint(TRUNCATE)']) query(other, sql);
    other.close();
    expect(leaksIn(await place.bytes())).toEqual([]);
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-later' }));
    expect((await outbox.drain()).states).toMatchObject({ recorded: 301, waiting: 0 });
    expect((await runAt(place)('verify')).code).toBe(0);
    await outbox.stop();
    await store.close?.();
  });
});
