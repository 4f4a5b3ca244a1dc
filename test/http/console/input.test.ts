import { expect, test } from 'vitest';
import { actions } from '../../../pages/console/words.js';
import { consoleWorld } from './world.js';

const decision = 'decision-of-the-input-1';
const retry = { decision, action: 'retry', selection: { ids: ['default:staging:reportBetEvent:B-1'] }, reason: 'why' };

test.each([
  ['decide', 'reason', { ...retry, reason: ' ' }],
  ['decide', 'reason', { ...retry, reason: 'x'.repeat(2_001) }],
  ['decide', 'reason', { ...retry, reason: 'half \ud800' }],
  ['decide', 'decision', { ...retry, decision: 'short' }],
  ['decide', 'action', { ...retry, action: 'delete' }],
  ['decide', 'selection.ids', { ...retry, selection: { ids: [] } }],
  ['decide', 'selection', { ...retry, selection: { ids: Array.from({ length: 501 }, (_, index) => `B-${index}`) } }],
  ['decide', 'selection', { ...retry, selection: { all: {} } }],
  ['body', 'reason', { decision, id: 'B-1', reason: '' }],
  ['reopen', 'reason', { decision, id: 'B-1', reason: ' ' }],
  ['reopen', 'id', { decision, reason: 'why' }],
  ['report', 'id', { id: 'half \\ud800' }],
  ['search', 'text', { text: 'NUL \\u0000' }],
  ['decide', 'selection.ids.0', { ...retry, selection: { ids: ['half \\ud800'] } }],
  ['search', 'cursor', { cursor: 'DROP' }],
  ['search', 'skip', { skip: -1 }],
  ['search', 'skip', { skip: 0.5 }],
  [
    'reconcile',
    'references.0',
    { account: 'default', operation: 'reportBetEvent', environment: 'staging', references: [''] },
  ],
  ['decisions', 'before', { before: '-1' }],
  ['decisions', 'who', { who: 'x'.repeat(201) }],
  ['decisions', 'action', { action: 'delete' }],
  ['decisions', 'id', { id: 'short' }],
  ['decisions', 'from', { from: 'yesterday' }],
  ['search', 'decision', { decision: 'short' }],
  ['groups', 'account', { account: 'NUL \0' }],
])('%s refuses a wrong %s, and nothing is read or changed', async (call, name, input) => {
  const { act, calls } = consoleWorld();
  const { status, body } = await act(call, input);
  expect([status, body.error.code, calls]).toEqual([422, 'invalid', []]);
  expect(body.error.message).toMatch(new RegExp(`^${name}: expected .+ Nothing was changed\\.$`));
});

test.each(actions)('decisions of each kind that the page offers can be found: %s', async (action) => {
  const { act, calls } = consoleWorld();
  await act('decisions', { action });
  expect(calls.map(({ given: [filter] }) => filter)).toMatchObject([{ action }]);
});

test('names that the page shows escaped are those of the store again, and a report counts once', async () => {
  const { act, calls } = consoleWorld();
  const shown = 'default:staging:reportBetEvent:B-\\u202e1';
  const stored = 'default:staging:reportBetEvent:B-\u202e1';
  const group = { account: 'default', environment: 'staging', code: 'unprocessable', words: 'x\\u202e' };
  await act('report', { id: shown });
  await act('search', { text: ` ${shown} ` });
  await act('decide', { ...retry, reason: ' why ', selection: { ids: [shown, stored] } });
  await act('preview', { action: 'retry', selection: { group } });
  await act('report', { id: 'default:staging:reportBetEvent:B-\\\\u202e1' });
  expect(calls.map(({ given: [first] }) => first)).toMatchObject([
    stored,
    { text: stored },
    { reason: 'why', selection: { ids: [stored] } },
    { group: { ...group, words: 'x\u202e' } },
    'default:staging:reportBetEvent:B-\\u202e1',
  ]);
});
