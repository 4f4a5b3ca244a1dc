import { expect, test } from 'vitest';
import { StoreError } from '../../../src/core/errors/store-error.js';
import { consoleWorld } from './world.js';

const failing = (error: Error) => ({
  overview: async (): Promise<never> => {
    throw error;
  },
});

test('a damaged file is named, with the words of the store that say what to do', async () => {
  const words = "The outbox's database /var/lib/bets/reports.db is damaged. Save its reports.";
  const { act, lines } = consoleWorld({}, failing(new StoreError('corrupt', words)));
  const { status, body } = await act('overview', {});
  expect([status, body.error]).toEqual([503, { code: 'store', message: words }]);
  expect(lines.join('\n')).toContain(words);
});

test.each([
  [
    'PostgreSQL',
    new StoreError('connection', 'The database cannot be reached; look at the server.', { sqlState: '08006' }),
  ],
  ['SQLite', new StoreError('busy', 'The database is locked by others for too long.')],
])('an outage of %s is shown in the words of the store', async (_, error) => {
  const { status, body } = await consoleWorld({}, failing(error)).act('overview', {});
  expect([status, body.error]).toEqual([503, { code: 'store', message: error.message }]);
});

test.each([undefined, 'timeout', 'other'])(
  'an error of another kind, with the code %s, is a word in the log alone',
  async (code) => {
    const error = Object.assign(new Error('connect to db.internal as backend failed'), { code });
    const { status, body } = await consoleWorld({}, failing(error)).act('overview', {});
    expect([status, body.error.code]).toEqual([500, 'failed']);
    expect(body.error.message).not.toContain('db.internal');
  },
);
