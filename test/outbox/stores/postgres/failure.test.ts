import { describe, expect, it } from 'vitest';
import { StoreError, type StoreErrorCode } from '../../../../src/core/errors/store-error.js';
import { isReportingError } from '../../../../src/entries/index.js';
import { asPostgresError, serverOf } from '../../../../src/outbox/stores/postgres/failure.js';

/** PostgreSQL's own names of the SQLSTATEs: Appendix A of its manual. */
describe('an error of a library', () => {
  it.each<[StoreErrorCode, string, string]>([
    ['connection', '08006', 'connection_failure'],
    ['connection', '57P01', 'admin_shutdown'],
    ['connection', '28P01', 'invalid_password'],
    ['connection', '3D000', 'invalid_catalog_name'],
    ['connection', '25P03', 'idle_in_transaction_session_timeout'],
    ['connection', 'ECONNREFUSED', 'the error of the system'],
    ['connection', 'EPIPE', 'the error of the system'],
    ['conflict', '40P01', 'deadlock_detected'],
    ['conflict', '40001', 'serialization_failure'],
    ['busy', '55P03', 'lock_not_available'],
    ['busy', '57014', 'query_canceled'],
    ['busy', '25P04', 'transaction_timeout'],
    ['full', '53100', 'disk_full'],
    ['full', '53300', 'too_many_connections'],
    ['read-only', '25006', 'read_only_sql_transaction'],
    ['missing', '42P01', 'undefined_table'],
    ['missing', '3F000', 'invalid_schema_name'],
    ['missing', '42883', 'undefined_function'],
    ['privileges', '42501', 'insufficient_privilege'],
    ['aborted', '25P02', 'in_failed_sql_transaction'],
    ['text', '22021', 'character_not_in_repertoire'],
    ['text', '22P05', 'untranslatable_character'],
    ['other', '23514', 'check_violation'],
  ])('has the code %s for %s, %s', (code, sqlState, words) => {
    const error = asPostgresError('outbox', Object.assign(new Error(words), { code: sqlState }));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ name: 'StoreError', code, sqlState });
    expect([isReportingError(error), 'outcome' in error]).toEqual([false, false]);
  });

  it.each([
    ['row', ['23514', '22003', '22021', '54000', 'P0001']],
    // A disk that fails refuses every report: an import stops, and none of its lines is wrong.
    ['store', ['58030', 'XX001', 'XX000', '25P04', '53100', '57014', '08006', 'LS003', 'LS005', '0A000']],
  ])('concerns the %s with %j', (concerns, states) => {
    const errors = states.map((code) => asPostgresError('outbox', Object.assign(new Error('no'), { code })));
    expect(errors.map((error) => 'concerns' in error && error.concerns)).toEqual(states.map(() => concerns));
  });

  it('names the library only if it has no SQLSTATE', () => {
    const messageOf = (error: Error) => asPostgresError('outbox', error).message;
    expect(messageOf(new Error('it failed'))).toContain('failed in the library that sends the statements');
    expect(messageOf(Object.assign(new Error('check'), { code: '23514' }))).toBe(
      "The outbox's database (schema outbox) failed (23514).",
    );
  });

  it('is about the connection if it has no code and says so, and otherwise has the code other', () => {
    expect(asPostgresError('outbox', new Error('Connection terminated unexpectedly'))).toMatchObject({
      code: 'connection',
      sqlState: undefined,
    });
    expect(asPostgresError('outbox', new Error('it failed'))).toMatchObject({ code: 'other', sqlState: undefined });
  });
});

describe('the server in a message', () => {
  const named = { address: 'db.internal:6432', database: 'bets' };
  it.each<[string, object, object]>([
    ['the parts of a pool', { options: { host: 'db.internal', port: 6432, database: 'bets', password: 'pw' } }, named],
    ['the address of a pool', { options: { connectionString: 'postgres://app:pw@db.internal:6432/bets' } }, named],
    ['the parts of a client', { host: 'db.internal', port: 6432, database: 'bets' }, named],
    [
      'the default port',
      { options: { connectionString: 'postgres://db.internal/bets' } },
      { ...named, address: 'db.internal:5432' },
    ],
    ['a socket', { options: { host: '/run/postgresql' } }, { address: '/run/postgresql:5432' }],
  ])('is read from %s', (_, connection, expected) => {
    expect(serverOf(connection)).toEqual({ database: undefined, ...expected });
  });

  it.each([
    'postgres://app:12#34@db.internal/bets',
    'postgres://app:12/34@db.internal/bets',
    'postgres://app:12?34@db.internal/bets',
    'postgres://app:x@12@db.internal/bets',
    'postgres://app:x@12#34@db.internal/bets',
    'no address',
  ])('is left out where a password could be read as a part of it: %s', (connectionString) => {
    const { address, database } = serverOf({ options: { connectionString } });
    expect(`${address} ${database}`).not.toMatch(/12|34/);
  });

  it.each<[string, object]>([
    ['of another library', { query: async () => ({ rows: [] }) }],
    ['with values that cannot be names', { options: { host: 'a b', port: 'x', database: 7 } }],
    [
      'whose options cannot be read',
      {
        get options() {
          throw new Error('no');
        },
      },
    ],
  ])('has no name for a connection %s', (_, connection) => {
    expect(serverOf(connection)).toEqual({ address: undefined, database: undefined });
  });
});
