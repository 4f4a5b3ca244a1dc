import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../src/entries/index.js';
import { stopOnSignals } from '../../../src/entries/node.js';

const outbox = { stop: async () => {} };

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['an empty list', []],
  ['a list with another value', [outbox, {}]],
  ['a promise', Promise.resolve(outbox)],
  ['a function', () => outbox],
])('%s in the place of the outbox is refused, and no signal is listened to', (_, given) => {
  const before = process.listenerCount('SIGTERM');
  const start: (given: never) => unknown = stopOnSignals;
  expect(() => start(given as never)).toThrow(ConfigurationError);
  expect(() => start(given as never)).toThrow('expected what createOutbox returns, or a list of such outboxes');
  expect(process.listenerCount('SIGTERM')).toBe(before);
});

test('an outbox and a list of outboxes are accepted', () => {
  for (const given of [outbox, [outbox, outbox]]) stopOnSignals(given)();
});
